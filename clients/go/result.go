package svc

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"strings"
)

// Result has the results of a job: one for each circuit and set of parameters, in order.
type Result struct {
	JobID    string
	Circuits []CircuitResult
	// Metadata has device, times, seed and versions.
	Metadata map[string]any
	// Raw is the field "results" of the job as it came.
	Raw json.RawMessage
}

// Counts returns the counts of one circuit, by its position; nil beyond the last one.
func (r *Result) Counts(at int) map[string]int {
	if at < 0 || at >= len(r.Circuits) {
		return nil
	}
	return r.Circuits[at].Counts
}

// CircuitResult has the outcomes of one circuit with one set of parameters.
type CircuitResult struct {
	// Name and Metadata are those given to the circuit.
	Name     string
	Metadata map[string]any
	// Shots is the number that the job asked for, Discarded those of them that the device left out of counts and memory.
	Shots, Discarded int
	// Counts is the number of shots by outcome; bit 0 is the rightmost character. Those of results that omit them,
	// because they are too large beside packed memory, are counted in Memory.
	Counts map[string]int
	// Registers are the classical registers of the circuit in their order, bit 0 first.
	Registers []Register
	// Memory is the outcome of each shot in bits, of a job submitted with Memory.
	Memory []string
	// IQ has the points of a job with measurement level 1: for each shot, or once for "avg", one point for each slot.
	IQ [][]complex128
	// ExpectationValues are the exact means of the observables of the circuit, of a job submitted with Exact.
	ExpectationValues []float64
	// Warnings say why the outcomes may mean less than they seem, such as qubits that are not calibrated.
	Warnings []string

	// size is the number of classical bits.
	size int
	// exact are the probabilities of a job submitted with Exact.
	exact map[string]float64
	// counted says whether the result has outcomes of shots.
	counted bool
}

// Register is a classical register.
type Register struct {
	Name string
	Size int
}

type circuitWire struct {
	Shots     float64            `json:"shots"`
	Discarded float64            `json:"discarded_shots"`
	Counts    map[string]float64 `json:"counts"`
	Omitted   bool               `json:"counts_omitted"`
	Means     []float64          `json:"expectation_values"`
	Exact     map[string]float64 `json:"probabilities"`
	Memory    json.RawMessage    `json:"memory"`
	Header    struct {
		Name        string         `json:"name"`
		MemorySlots int            `json:"memory_slots"`
		CregSizes   [][2]any       `json:"creg_sizes"`
		Metadata    map[string]any `json:"metadata"`
	} `json:"header"`
	Metadata struct {
		Warnings []string `json:"warnings"`
	} `json:"metadata"`
}

// newResult reads the results of a completed job.
func newResult(id string, job rawJSON) (*Result, error) {
	var whole struct {
		Results json.RawMessage `json:"results"`
	}
	var results struct {
		CircuitResults []circuitWire  `json:"circuit_results"`
		Metadata       map[string]any `json:"metadata"`
	}
	err := json.Unmarshal(job, &whole)
	if err == nil {
		err = json.Unmarshal(whole.Results, &results)
	}
	if err != nil {
		return nil, fmt.Errorf("the results of job %s are not as expected: %w", id, err)
	}
	result := &Result{JobID: id, Metadata: results.Metadata, Raw: whole.Results}
	for _, each := range results.CircuitResults {
		circuit, err := circuitOf(each)
		if err != nil {
			return nil, fmt.Errorf("the results of job %s are not as expected: %w", id, err)
		}
		result.Circuits = append(result.Circuits, circuit)
	}
	return result, nil
}

// maxBits is above the number of classical bits that a program can have.
const maxBits = 1 << 20

func circuitOf(read circuitWire) (CircuitResult, error) {
	if read.Shots < 0 || read.Discarded < 0 || read.Discarded > read.Shots || read.Header.MemorySlots < 0 || read.Header.MemorySlots > maxBits {
		return CircuitResult{}, fmt.Errorf("%v shots of %d bits", read.Shots, read.Header.MemorySlots)
	}
	circuit := CircuitResult{Name: read.Header.Name, Metadata: read.Header.Metadata, Shots: int(read.Shots), Discarded: int(read.Discarded), Counts: map[string]int{}, Warnings: read.Metadata.Warnings}
	circuit.ExpectationValues, circuit.exact = read.Means, read.Exact
	circuit.size = read.Header.MemorySlots
	circuit.counted = read.Counts != nil || read.Omitted
	for key, count := range read.Counts {
		circuit.Counts[key] = int(count)
	}
	for _, pair := range read.Header.CregSizes {
		name, _ := pair[0].(string)
		size, _ := pair[1].(float64)
		if size < 0 || size > maxBits {
			return circuit, fmt.Errorf("register %s has %v bits", name, size)
		}
		circuit.Registers = append(circuit.Registers, Register{name, int(size)})
	}
	err := circuit.readMemory(read.Memory, read.Header.MemorySlots)
	if read.Omitted && read.Counts == nil {
		for _, outcome := range circuit.Memory {
			circuit.Counts[outcome]++
		}
	}
	return circuit, err
}

// readMemory reads the outcomes of shots: packed, as hexadecimal numbers, or points.
func (r *CircuitResult) readMemory(memory json.RawMessage, bits int) error {
	var packed string
	var hexadecimal []string
	var average [][2]float64
	var single [][][2]float64
	switch {
	case len(memory) == 0 || string(memory) == "null":
		return nil
	case json.Unmarshal(memory, &packed) == nil:
		return r.unpack(packed, bits)
	case json.Unmarshal(memory, &hexadecimal) == nil:
		for _, text := range hexadecimal {
			number, ok := new(big.Int).SetString(strings.TrimPrefix(text, "0x"), 16)
			if !ok {
				return fmt.Errorf("%q is no hexadecimal number", text)
			}
			r.Memory = append(r.Memory, fmt.Sprintf("%0*b", bits, number))
		}
		return nil
	case json.Unmarshal(memory, &average) == nil:
		r.IQ = [][]complex128{pointsOf(average)}
		return nil
	}
	if err := json.Unmarshal(memory, &single); err != nil {
		return err
	}
	for _, shot := range single {
		r.IQ = append(r.IQ, pointsOf(shot))
	}
	return nil
}

// unpack reads ⌈bits / 8⌉ bytes a shot, the most significant byte first.
func (r *CircuitResult) unpack(packed string, bits int) error {
	bytes, err := base64.StdEncoding.DecodeString(packed)
	width := (bits + 7) / 8
	if err == nil && len(bytes) != width*r.Kept() {
		err = fmt.Errorf("%d bytes are no %d shots of %d bits", len(bytes), r.Kept(), bits)
	}
	if err != nil {
		return err
	}
	r.Memory = make([]string, r.Kept())
	for shot := range r.Memory {
		var text strings.Builder
		for _, each := range bytes[shot*width : (shot+1)*width] {
			fmt.Fprintf(&text, "%08b", each)
		}
		r.Memory[shot] = text.String()[width*8-bits:]
	}
	return nil
}

func pointsOf(pairs [][2]float64) []complex128 {
	points := make([]complex128, len(pairs))
	for at, pair := range pairs {
		points[at] = complex(pair[0], pair[1])
	}
	return points
}

// Kept returns the number of shots in counts and memory.
func (r *CircuitResult) Kept() int {
	return r.Shots - r.Discarded
}

// Probabilities returns the relative frequencies of the outcomes; exact probabilities of a job submitted with Exact.
func (r *CircuitResult) Probabilities() map[string]float64 {
	if r.exact != nil {
		return maps.Clone(r.exact)
	}
	found := make(map[string]float64, len(r.Counts))
	for key, count := range r.Counts {
		found[key] = float64(count) / float64(r.Kept())
	}
	return found
}

// outcomes returns the counts, or the exact probabilities, by outcome.
func (r *CircuitResult) outcomes() (map[string]float64, error) {
	switch {
	case r.exact != nil:
		return r.exact, nil
	case r.ExpectationValues != nil:
		return nil, errors.New("the result has the means of observables (ExpectationValues) in place of outcomes")
	case !r.counted:
		return nil, errors.New("the result has signals in place of outcomes")
	}
	found := make(map[string]float64, len(r.Counts))
	for key, count := range r.Counts {
		found[key] = float64(count)
	}
	return found, nil
}

// Marginal returns the counts of some bits: their numbers from the left of the new keys to the right. Of a job
// submitted with Exact it returns probabilities. The error says that the result has no outcomes, but signals or the
// exact means of observables, or not so many bits.
func (r *CircuitResult) Marginal(bits ...int) (map[string]float64, error) {
	outcomes, err := r.outcomes()
	if err != nil {
		return nil, err
	}
	for _, bit := range bits {
		if bit < 0 || bit >= r.size {
			return nil, fmt.Errorf("the result has %d bits; there is no bit %d", r.size, bit)
		}
	}
	sums := map[string]float64{}
	for key, count := range outcomes {
		part := make([]byte, len(bits))
		for at, bit := range bits {
			part[at] = '0'
			if bit < len(key) {
				part[at] = key[len(key)-1-bit]
			}
		}
		sums[string(part)] += count
	}
	return sums, nil
}

// Register returns the counts of one classical register, or probabilities as Marginal does.
func (r *CircuitResult) Register(name string) (map[string]float64, error) {
	first := 0
	known := []string{}
	for _, register := range r.Registers {
		if register.Name == name {
			bits := make([]int, register.Size)
			for at := range bits {
				bits[at] = first + register.Size - 1 - at
			}
			return r.Marginal(bits...)
		}
		known = append(known, register.Name)
		first += register.Size
	}
	return nil, fmt.Errorf("the circuit has no register %q; it has %s", name, firstOf(strings.Join(known, ", "), "none"))
}

// Expectation returns mean and standard error of a product of Pauli Z, such as "ZIZ", whose rightmost character is
// bit 0. The mean of exact probabilities has the error 0.
func (r *CircuitResult) Expectation(pauliZ string) (value, standardError float64, err error) {
	if pauliZ == "" || strings.Trim(pauliZ, "ZI") != "" {
		return 0, 0, fmt.Errorf("%q has other characters than Z and I", pauliZ)
	}
	if len(pauliZ) > r.size {
		return 0, 0, fmt.Errorf("%q has more characters than the %d bits", pauliZ, r.size)
	}
	var bits []int
	for at, character := range pauliZ {
		if character == 'Z' {
			bits = append(bits, len(pauliZ)-1-at)
		}
	}
	counts, err := r.Marginal(bits...)
	if err != nil {
		return 0, 0, err
	}
	sum := 0.0
	for key, count := range counts {
		if strings.Count(key, "1")%2 == 0 {
			sum += count
		} else {
			sum -= count
		}
	}
	if r.exact != nil {
		return sum, 0, nil
	}
	if r.Kept() == 0 {
		return 0, 0, fmt.Errorf("the device discarded all shots")
	}
	value = sum / float64(r.Kept())
	return value, math.Sqrt((1 - value*value) / float64(r.Kept())), nil
}
