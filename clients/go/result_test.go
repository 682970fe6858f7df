package svc

import (
	"encoding/base64"
	"fmt"
	"math"
	"testing"
)

func resultOf(t *testing.T, circuit string) CircuitResult {
	t.Helper()
	result, err := newResult("job", rawJSON(`{"results":{"circuit_results":[`+circuit+`],"metadata":{"device":"aer_sim"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return result.Circuits[0]
}

const twoRegisters = `{"shots":10,"counts":{"101":4,"010":6},"header":{"name":"bell","memory_slots":3,
	"creg_sizes":[["a",1],["b",2]],"metadata":{"angle":0.5}}}`

func TestRegistersAndMarginalsCountBitZeroFromTheRight(t *testing.T) {
	circuit := resultOf(t, twoRegisters)
	a, err := circuit.Register("a")
	if err != nil || fmt.Sprint(a) != "map[0:6 1:4]" {
		t.Errorf("register a has %v, %v", a, err)
	}
	b, err := circuit.Register("b")
	if err != nil || fmt.Sprint(b) != "map[01:6 10:4]" {
		t.Errorf("register b has %v, %v", b, err)
	}
	if _, err := circuit.Register("d"); err == nil || err.Error() != `the circuit has no register "d"; it has a, b` {
		t.Errorf("an unknown register is %v", err)
	}
	if got, err := circuit.Marginal(0, 2); err != nil || fmt.Sprint(got) != "map[00:6 11:4]" {
		t.Errorf("bits 0 and 2 have %v, %v", got, err)
	}
	if got := circuit.Probabilities()["101"]; got != 0.4 {
		t.Errorf("101 has the probability %v", got)
	}
	if circuit.Name != "bell" || circuit.Metadata["angle"] != 0.5 {
		t.Errorf("name and metadata are %q, %v", circuit.Name, circuit.Metadata)
	}
}

func TestExpectationHasItsStandardError(t *testing.T) {
	circuit := resultOf(t, twoRegisters)
	value, deviation, err := circuit.Expectation("IIZ")
	if err != nil || math.Abs(value-0.2) > 1e-12 || math.Abs(deviation-math.Sqrt(0.96/10)) > 1e-12 {
		t.Errorf("Z of bit 0 is %v ± %v, %v", value, deviation, err)
	}
	if value, _, _ := circuit.Expectation("ZIZ"); value != 1 {
		t.Errorf("ZIZ is %v", value)
	}
	if _, _, err := circuit.Expectation("XZ"); err == nil {
		t.Error("X was measured")
	}
	if _, _, err := circuit.Expectation("ZZZZ"); err == nil {
		t.Error("4 of 3 bits have a mean")
	}
}

func TestMemoryIsReadInEachOfItsForms(t *testing.T) {
	packed := base64.StdEncoding.EncodeToString([]byte{0x01, 0x03, 0x00, 0xff})
	circuit := resultOf(t, `{"shots":2,"counts":{},"memory":"`+packed+`","header":{"memory_slots":10}}`)
	if fmt.Sprint(circuit.Memory) != "[0100000011 0011111111]" {
		t.Errorf("packed memory is %v", circuit.Memory)
	}
	circuit = resultOf(t, `{"shots":2,"counts":{},"memory":["0x3","0x0"],"header":{"memory_slots":3}}`)
	if fmt.Sprint(circuit.Memory) != "[011 000]" {
		t.Errorf("hexadecimal memory is %v", circuit.Memory)
	}
	circuit = resultOf(t, `{"shots":2,"memory":[[0.5,-1],[2,3]],"header":{"memory_slots":2}}`)
	if fmt.Sprint(circuit.IQ) != "[[(0.5-1i) (2+3i)]]" {
		t.Errorf("averaged points are %v", circuit.IQ)
	}
	circuit = resultOf(t, `{"shots":2,"memory":[[[0.5,-1]],[[2,3]]],"header":{"memory_slots":1}}`)
	if fmt.Sprint(circuit.IQ) != "[[(0.5-1i)] [(2+3i)]]" {
		t.Errorf("points of each shot are %v", circuit.IQ)
	}
}

func TestBrokenResultsAreNamed(t *testing.T) {
	for _, circuit := range []string{
		`{"shots":3,"memory":"AAA=","header":{"memory_slots":1}}`,
		`{"shots":1,"memory":["zz"],"header":{"memory_slots":1}}`,
		`{"shots":1,"memory":{"a":1},"header":{"memory_slots":1}}`,
	} {
		_, err := newResult("abc", rawJSON(`{"results":{"circuit_results":[`+circuit+`]}}`))
		if err == nil || len(err.Error()) < len("the results of job abc are not as expected: ") {
			t.Errorf("%s is %v", circuit, err)
		}
	}
}

func FuzzResults(f *testing.F) {
	f.Add(`{"results":{"circuit_results":[` + twoRegisters + `]}}`)
	f.Add(`{"results":{"circuit_results":[{"shots":-1,"memory":"AAA=","header":{"memory_slots":-3}}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		result, err := newResult("job", rawJSON(text))
		if err != nil {
			return
		}
		for _, circuit := range result.Circuits {
			_, _ = circuit.Marginal(0, 1)
			_, _ = circuit.Register("c")
			_, _, _ = circuit.Expectation("ZZ")
		}
	})
}

func TestExactResultsHaveProbabilitiesInPlaceOfCounts(t *testing.T) {
	header := `"header":{"memory_slots":2,"creg_sizes":[["a",1],["b",1]]}}`
	circuit := resultOf(t, `{"shots":0,"probabilities":{"00":0.25,"11":0.75},`+header)
	b, err := circuit.Register("b")
	if err != nil || fmt.Sprint(b) != "map[0:0.25 1:0.75]" {
		t.Errorf("register b has %v, %v", b, err)
	}
	value, standardError, err := circuit.Expectation("IZ")
	if value != -0.5 || standardError != 0 || err != nil {
		t.Errorf("the mean is %v ± %v, %v", value, standardError, err)
	}
	for text, reason := range map[string]string{
		`{"shots":0,"expectation_values":[0.5],`: "the result has the means of observables (ExpectationValues) in place of outcomes",
		`{"shots":1,"memory":[[[0.1,0.2]]],`:     "the result has signals in place of outcomes",
	} {
		other := resultOf(t, text+header)
		if _, _, err := other.Expectation("Z"); err == nil || err.Error() != reason {
			t.Errorf("the mean of a result without outcomes: %v", err)
		}
	}
}

func TestDiscardedShotsAreInNoProbabilityOrExpectation(t *testing.T) {
	circuit := resultOf(t, `{"shots":100,"discarded_shots":20,"counts":{"0":60,"1":20},"header":{"memory_slots":1}}`)
	if circuit.Shots != 100 || circuit.Discarded != 20 || circuit.Kept() != 80 {
		t.Errorf("%d of %d shots are discarded", circuit.Discarded, circuit.Shots)
	}
	value, deviation, err := circuit.Expectation("Z")
	if err != nil || value != 0.5 || deviation != math.Sqrt(0.75/80) || circuit.Probabilities()["0"] != 0.75 {
		t.Errorf("Z is %v ± %v, %v", value, deviation, err)
	}
	circuit = resultOf(t, `{"shots":1,"discarded_shots":1,"counts":{},"header":{"memory_slots":1}}`)
	if _, _, err := circuit.Expectation("Z"); err == nil {
		t.Error("Z was measured without a shot")
	}
}

func TestCountsThatResultsOmitAreCountedInThePackedMemory(t *testing.T) {
	packed := base64.StdEncoding.EncodeToString([]byte{1, 1, 0, 2, 1, 1})
	circuit := resultOf(t, `{"shots":4,"discarded_shots":1,"counts_omitted":true,"memory":"`+packed+`","header":{"memory_slots":9}}`)
	if fmt.Sprint(circuit.Counts) != "map[000000010:1 100000001:2]" {
		t.Errorf("the counts are %v", circuit.Counts)
	}
}

func TestExactValuesAreReadInPlaceOfCounts(t *testing.T) {
	circuit := resultOf(t, `{"shots":0,"probabilities":{"0":0.25,"1":0.75},"header":{"memory_slots":1}}`)
	if got := fmt.Sprint(circuit.Probabilities(), circuit.Counts); got != "map[0:0.25 1:0.75] map[]" {
		t.Errorf("the probabilities and counts are %s", got)
	}
	circuit = resultOf(t, `{"shots":0,"expectation_values":[0.5,-1],"header":{"memory_slots":1}}`)
	if got := fmt.Sprint(circuit.ExpectationValues); got != "[0.5 -1]" {
		t.Errorf("the expectation values are %s", got)
	}
}
