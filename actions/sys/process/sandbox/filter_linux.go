//go:build linux && (amd64 || arm64)

package sandbox

import (
	"maps"
	"math"
	"slices"

	"golang.org/x/sys/unix"
)

// What a filter is made of (seccomp(2), and linux/filter.h).
const (
	bpfLoad  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfAnd   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	bpfEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	bpfJump  = unix.BPF_JMP | unix.BPF_JA
	bpfRet   = unix.BPF_RET | unix.BPF_K
	// struct seccomp_data: the lower half of an argument first, as all architectures
	// that are filtered are little-endian.
	offsetCall, offsetArch, offsetArgs, sizeOfArg = 0, 4, 16, 8
)

// filter makes the program of the refusals. Calls of another architecture are
// answered as by a kernel that has none: their numbers mean other things.
//
// A call is looked up by halves. The kernel runs the program for every number that
// there is whenever it is installed, and again for each call that it cannot tell by the
// number alone; comparing one number after the other would take most of the time that the
// sandbox costs a command.
func filter(refusals []refusal) []unix.SockFilter {
	return append([]unix.SockFilter{
		{Code: bpfLoad, K: offsetArch},
		{Code: bpfEqual, K: auditArch, Jt: 1},
		refuse(unix.ENOSYS),
		{Code: bpfLoad, K: offsetCall},
	}, halve(spans(refusals))...)
}

func refuse(errno unix.Errno) unix.SockFilter {
	return unix.SockFilter{Code: bpfRet, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

func allow() unix.SockFilter { return unix.SockFilter{Code: bpfRet, K: unix.SECCOMP_RET_ALLOW} }

// span is the numbers of calls from one up to that of the next span, and the program that
// decides about them.
type span struct {
	from    uint32
	program []unix.SockFilter
}

// spans divides all numbers of calls into those with one decision.
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
			all = all[:last] // nothing lies between two numbers that follow each other
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
	add(otherNumbers, []unix.SockFilter{refuse(unix.ENOSYS)})
	return all
}

// program refuses where all conditions hold, and ends behind itself where one does not.
func (r refusal) program() []unix.SockFilter {
	var program []unix.SockFilter
	compares := make([]int, len(r.when)) // where each condition is compared
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
		behind := uint8(len(program) - compares[i] - 1)
		if c.not {
			program[compares[i]].Jt = behind
		} else {
			program[compares[i]].Jf = behind
		}
	}
	return program
}

// halve makes the program that finds the span of the number that was loaded.
func halve(all []span) []unix.SockFilter {
	if len(all) == 1 {
		return all[0].program
	}
	half := len(all) / 2
	below, above := halve(all[:half]), halve(all[half:])
	least := unix.SockFilter{Code: bpfLeast, K: all[half].from}
	if len(below) <= math.MaxUint8 {
		least.Jt = uint8(len(below))
		return slices.Concat([]unix.SockFilter{least}, below, above)
	}
	least.Jf = 1
	return slices.Concat([]unix.SockFilter{least, {Code: bpfJump, K: uint32(len(below))}}, below, above)
}
