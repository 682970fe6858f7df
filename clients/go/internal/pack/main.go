// Command pack writes the module as a module proxy serves it, so that `go get` takes it from a folder:
//
//	go run ./internal/pack FOLDER
//
// with file:///FOLDER as GOPROXY and svc.example as GONOSUMDB.
//
// The layout is that of https://go.dev/ref/mod#goproxy-protocol. The version follows that of svc, which counts years:
// 2026.11.0 is v1.202611.0, because a module of a major version above 1 has it in its path.
package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
)

const module = "svc.example/clients/go"

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./internal/pack FOLDER")
	}
	if err := pack(".", os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// pack writes the module in source into folder.
func pack(source, folder string) error {
	version, err := versionOf(filepath.Join(source, "../../package.json"))
	if err != nil {
		return err
	}
	folder = filepath.Join(folder, module, "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"list":            version + "\n",
		version + ".info": fmt.Sprintf("{%q:%q}\n", "Version", version),
		version + ".mod":  string(mod),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	file, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		return err
	}
	archive := zip.NewWriter(file)
	if err := addFiles(archive, source, module+"@"+version+"/"); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	fmt.Println(module + "@" + version)
	return file.Close()
}

// tools are packages that only the repository uses.
var tools = map[string]bool{"contract": true, "pack": true, "runner": true}

// addFiles adds what a program needs that uses the module.
func addFiles(archive *zip.Writer, source, prefix string) error {
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && tools[entry.Name()] {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		writer, err := archive.Create(prefix + filepath.ToSlash(relative))
		if err == nil {
			_, err = writer.Write(text)
		}
		return err
	})
}

// versionOf is the version of the module for that of svc.
func versionOf(manifest string) (string, error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return "", err
	}
	var found struct{ Version string }
	if err := json.Unmarshal(text, &found); err != nil {
		return "", err
	}
	var year, month, patch int
	if _, err := fmt.Sscanf(found.Version, "%d.%d.%d", &year, &month, &patch); err != nil {
		return "", fmt.Errorf("version %q of svc: %w", found.Version, err)
	}
	return fmt.Sprintf("v1.%d%02d.%d", year, month, patch), nil
}
