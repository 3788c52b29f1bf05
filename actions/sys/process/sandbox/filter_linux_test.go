//go:build linux && (amd64 || arm64)

package sandbox

import (
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"
)

// run runs a filter as the kernel does, and counts the instructions.
func run(t *testing.T, program []unix.SockFilter, arch, nr uint32, args [6]uint32) (verdict uint32, steps int) {
	t.Helper()
	var a uint32
	for at := 0; at < len(program); at++ {
		in := program[at]
		jump := func(holds bool) {
			if holds {
				at += int(in.Jt)
			} else {
				at += int(in.Jf)
			}
		}
		steps++
		switch in.Code {
		case bpfLoad:
			switch in.K {
			case offsetCall:
				a = nr
			case offsetArch:
				a = arch
			default:
				a = args[(in.K-offsetArgs)/sizeOfArg]
			}
		case bpfAnd:
			a &= in.K
		case bpfEqual:
			jump(a == in.K)
		case bpfAtLeast:
			jump(a >= in.K)
		case bpfJump:
			at += int(in.K)
		case bpfRet:
			return in.K, steps
		default:
			t.Fatalf("instruction %d has the code %#x", at, in.Code)
		}
	}
	t.Fatal("the filter has no return")
	return 0, 0
}

// decided returns the result of checking the refusals one after the other.
func decided(refusals []refusal, nr uint32, args [6]uint32) uint32 {
	if nr >= firstForeignNumber {
		return refuse(unix.ENOSYS).K
	}
	for _, r := range refusals {
		for _, call := range r.calls {
			if uint32(call) == nr && r.holds(args) {
				return refuse(r.errno).K
			}
		}
	}
	return allow().K
}

func (r refusal) holds(args [6]uint32) bool {
	for _, c := range r.when {
		v := args[c.arg]
		if c.mask != 0 {
			v &= c.mask
		}
		if (v == c.value) == c.negated {
			return false
		}
	}
	return true
}

// TestFilterDecidesAsTheRefusals checks every number with arguments for which each condition
// holds, and does not hold.
func TestFilterDecidesAsTheRefusals(t *testing.T) {
	t.Parallel()
	for _, port := range []bool{false, true} {
		all := refusals(port)
		program := buildFilter(all)
		values := []uint32{0, 1, ^uint32(0)}
		for _, r := range all {
			for _, c := range r.when {
				values = append(values, c.value, c.value|1<<31, c.mask, c.mask&-c.mask)
			}
		}
		random, most := rand.New(rand.NewPCG(1, 2)), 0
		check := func(nr uint32) {
			for range 300 {
				var args [6]uint32
				for i := range args {
					args[i] = values[random.IntN(len(values))]
				}
				got, steps := run(t, program, auditArch, nr, args)
				if want := decided(all, nr, args); got != want {
					t.Fatalf("call %d with %x: got %#x, want %#x", nr, args, got, want)
				}
				most = max(most, steps)
			}
		}
		for nr := range uint32(700) {
			check(nr)
		}
		for _, nr := range []uint32{firstForeignNumber - 1, firstForeignNumber, firstForeignNumber + 39, ^uint32(0)} {
			check(nr)
		}
		if got, _ := run(t, program, auditArch+1, unix.SYS_GETPID, [6]uint32{}); got != refuse(unix.ENOSYS).K {
			t.Errorf("another architecture: %#x", got)
		}
		// With a linear search, it would be hundreds.
		if most > 40 || len(program) > unix.BPF_MAXINSNS {
			t.Errorf("a decision takes %d of %d instructions", most, len(program))
		}
	}
}
