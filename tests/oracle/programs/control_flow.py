"""Programs with control flow, as data, in Qiskit's circuits."""

from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit.classical import expr

RELATIONS = {"==": expr.equal, "!=": expr.not_equal, "<": expr.less, ">": expr.greater}
OPERATORS = {"^": expr.bit_xor, "&": expr.bit_and, "|": expr.bit_or, "&&": expr.logic_and, "||": expr.logic_or}


class Program:
    """Builds one circuit; `gate_of` makes a gate of a step."""

    def __init__(self, question, gate_of):
        self.gate_of = gate_of
        self.registers = {name: ClassicalRegister(width, name) for name, width in question["registers"]}
        self.circuit = QuantumCircuit(QuantumRegister(question["qubits"], "q"), *self.registers.values())
        self.block(question["statements"])

    def bit(self, node):
        return self.registers[node["register"]][node["index"]]

    def value(self, node):
        kind = node["kind"]
        if kind == "bit":
            return expr.lift(self.bit(node["bit"]))
        if kind == "constant":
            return expr.lift(bool(node["value"]))
        if kind == "not":
            return expr.bit_not(self.value(node["of"]))
        return OPERATORS[kind](self.value(node["one"]), self.value(node["other"]))

    def truth(self, node):
        kind = node["kind"]
        if kind == "isOne":
            return self.value(node["of"])
        if kind == "isZero":
            return expr.logic_not(self.value(node["of"]))
        if kind == "compare":
            return RELATIONS[node["relation"]](self.registers[node["register"]], node["value"])
        return OPERATORS[kind](self.truth(node["one"]), self.truth(node["other"]))

    def block(self, body):
        for node in body:
            getattr(self, f"add_{node['kind']}")(node)

    def add_gate(self, node):
        self.circuit.append(self.gate_of(node), node["qubits"])

    def add_measure(self, node):
        self.circuit.measure(node["qubit"], self.bit(node["bit"]))

    def add_reset(self, node):
        self.circuit.reset(node["qubit"])

    def add_assign(self, node):
        self.circuit.store(self.bit(node["bit"]), self.value(node["value"]))

    def add_if(self, node):
        with self.circuit.if_test(self.truth(node["truth"])) as otherwise:
            self.block(node["taken"])
        if node["otherwise"]:
            with otherwise:
                self.block(node["otherwise"])

    def add_while(self, node):
        with self.circuit.while_loop(self.truth(node["truth"])):
            self.block(node["body"])

    def add_for(self, node):
        with self.circuit.for_loop(range(node["from"], node["to"] + 1)):
            self.block(node["body"])

    def add_switch(self, node):
        with self.circuit.switch(self.registers[node["register"]]) as case:
            for each in node["cases"]:
                with case(*each["values"]):
                    self.block(each["body"])
            with case(case.DEFAULT):
                self.block(node["otherwise"])

    def add_break(self, _):
        self.circuit.break_loop()

    def add_continue(self, _):
        self.circuit.continue_loop()
