//go:build linux && (amd64 || arm64)

package sandbox

import (
	"maps"
	"math"
	"slices"

	"golang.org/x/sys/unix"
)

// Instructions of a filter (seccomp(2), and linux/filter.h).
const (
	bpfLoad    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfAnd     = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	bpfEqual   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfAtLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	bpfJump    = unix.BPF_JMP | unix.BPF_JA
	bpfRet     = unix.BPF_RET | unix.BPF_K
	// Offsets in struct seccomp_data. The lower half of an argument comes first, as all
	// filtered architectures are little-endian.
	offsetCall, offsetArch, offsetArgs, sizeOfArg = 0, 4, 16, 8
)

// buildFilter returns the program that refuses these calls. Calls of another architecture
// fail with ENOSYS, since their numbers have other meanings.
//
// The program finds the number of a call by binary search. The kernel runs the program for
// every existing number when it is installed, and again for each call that it cannot decide
// by the number alone. With a linear search, that would take most of the time that the
// sandbox costs a command.
func buildFilter(refusals []refusal) []unix.SockFilter {
	return append([]unix.SockFilter{
		{Code: bpfLoad, K: offsetArch},
		{Code: bpfEqual, K: auditArch, Jt: 1},
		refuse(unix.ENOSYS),
		{Code: bpfLoad, K: offsetCall},
	}, searchProgram(spans(refusals))...)
}

func refuse(errno unix.Errno) unix.SockFilter {
	return unix.SockFilter{Code: bpfRet, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

func allow() unix.SockFilter { return unix.SockFilter{Code: bpfRet, K: unix.SECCOMP_RET_ALLOW} }

// span is a range of call numbers, up to the beginning of the next span, with the program
// that decides about them.
type span struct {
	from    uint32
	program []unix.SockFilter
}

// spans divides all call numbers into ranges with the same decision.
func spans(refusals []refusal) []span {
	decisions, always := map[uint32][]unix.SockFilter{}, map[uint32]bool{}
	for _, r := range refusals {
		for _, call := range r.calls {
			nr := uint32(call)
			decisions[nr] = append(decisions[nr], r.program()...)
			always[nr] = always[nr] || len(r.when) == 0
		}
	}
	free := []unix.SockFilter{allow()}
	all := []span{{0, free}}
	add := func(from uint32, program []unix.SockFilter) {
		if last := len(all) - 1; last > 0 && all[last].from == from {
			all = all[:last] // the numbers are adjacent
		}
		if !slices.Equal(all[len(all)-1].program, program) {
			all = append(all, span{from, program})
		}
	}
	for _, call := range slices.Sorted(maps.Keys(decisions)) {
		if !always[call] {
			decisions[call] = append(decisions[call], free...)
		}
		add(call, decisions[call])
		add(call+1, free)
	}
	add(firstForeignNumber, []unix.SockFilter{refuse(unix.ENOSYS)})
	return all
}

// program returns instructions that refuse the call if all conditions hold, and otherwise
// continue after them.
func (r refusal) program() []unix.SockFilter {
	var program []unix.SockFilter
	compares := make([]int, len(r.when)) // the index of the comparison for each condition
	for i, c := range r.when {
		program = append(program, unix.SockFilter{Code: bpfLoad, K: offsetArgs + sizeOfArg*uint32(c.arg)})
		if c.mask != 0 {
			program = append(program, unix.SockFilter{Code: bpfAnd, K: c.mask})
		}
		compares[i] = len(program)
		program = append(program, unix.SockFilter{Code: bpfEqual, K: c.value})
	}
	program = append(program, refuse(r.errno))
	for i, c := range r.when {
		skip := uint8(len(program) - compares[i] - 1)
		if c.negated {
			program[compares[i]].Jt = skip
		} else {
			program[compares[i]].Jf = skip
		}
	}
	return program
}

// searchProgram returns the program that finds the span of the loaded number by binary
// search.
func searchProgram(all []span) []unix.SockFilter {
	if len(all) == 1 {
		return all[0].program
	}
	half := len(all) / 2
	below, above := searchProgram(all[:half]), searchProgram(all[half:])
	atLeast := unix.SockFilter{Code: bpfAtLeast, K: all[half].from}
	if len(below) <= math.MaxUint8 {
		atLeast.Jt = uint8(len(below))
		return slices.Concat([]unix.SockFilter{atLeast}, below, above)
	}
	atLeast.Jf = 1
	return slices.Concat([]unix.SockFilter{atLeast, {Code: bpfJump, K: uint32(len(below))}}, below, above)
}
