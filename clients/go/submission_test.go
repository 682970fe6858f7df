package svc

import (
	"reflect"
	"strings"
	"testing"
)

const twoInputs = `OPENQASM 3.0;
/* input float nothing; */ input float theta; input angle[32] phi; // input float other;
qubit q;`

func TestNamedValuesAreInTheOrderOfTheInputs(t *testing.T) {
	given := []Circuit{{Circuit: twoInputs, NamedValues: []map[string]float64{{"phi": 2, "theta": 1}, {"phi": 4, "theta": 3}}}}
	found, err := ordered(given)
	if err != nil || !reflect.DeepEqual(found[0].ParameterValues, [][]float64{{1, 2}, {3, 4}}) {
		t.Fatalf("%v, %v", found, err)
	}
	if given[0].ParameterValues != nil {
		t.Fatal("the circuit of the caller has changed")
	}
	for text, circuit := range map[string]Circuit{
		"the program has no input x; its inputs are theta, phi": {Circuit: twoInputs, NamedValues: []map[string]float64{{"theta": 1, "phi": 2, "x": 3}}},
		"no value for the input phi":                            {Circuit: twoInputs, NamedValues: []map[string]float64{{"theta": 1}}},
		"both ParameterValues and NamedValues":                  {Circuit: twoInputs, NamedValues: []map[string]float64{{}}, ParameterValues: [][]float64{{1, 2}}},
	} {
		if _, err := ordered([]Circuit{circuit}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not contain %q", err, text)
		}
	}
}
