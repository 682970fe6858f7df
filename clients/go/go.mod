module svc.example/clients/go

go 1.23
