package sandbox

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/actions"
)

// exitByInt80 is machine code that ends with status 0 by the system call of the
// 32-bit architecture, or else by an invalid instruction. Programs of both sizes
// can run it.
func exitByInt80() []byte {
	return []byte{
		0xb8, 1, 0, 0, 0, // mov eax, 1 (exit)
		0x31, 0xdb, // xor ebx, ebx
		0xcd, 0x80, // int 0x80
		0x0f, 0x0b, // ud2
	}
}

// program is a program of one segment, of 32 or 64 bits.
func program(t *testing.T, bits int, code []byte) []byte {
	t.Helper()
	const base, align = 0x400000, 0x1000
	var out bytes.Buffer
	ident := [16]byte{0x7f, 'E', 'L', 'F', byte(bits / 32), 1, 1}
	var parts []any
	if bits == 32 {
		const size = 52 + 32
		n := uint32(size + len(code))
		parts = []any{ident, uint16(2), uint16(3), uint32(1), uint32(base + size), uint32(52), uint32(0), uint32(0), [6]uint16{52, 32, 1}}
		parts = append(parts, uint32(1), uint32(0), uint32(base), uint32(base), n, n, uint32(5), uint32(align))
	} else {
		const size = 64 + 56
		n := uint64(size + len(code))
		parts = []any{ident, uint16(2), uint16(62), uint32(1), uint64(base + size), uint64(64), uint64(0), uint32(0), [6]uint16{64, 56, 1}}
		parts = append(parts, uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), n, n, uint64(align))
	}
	for _, p := range append(parts, code) {
		if err := binary.Write(&out, binary.LittleEndian, p); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// TestForeignCalls: the numbers of another architecture's calls mean other things,
// so all of them are refused.
func TestForeignCalls(t *testing.T) {
	needKernel(t)
	for name, bits := range map[string]int{"a program of 32 bits": 32, "a call of 32 bits in a program of 64": 64} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(path, program(t, bits, exitByInt80()), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := exec.Command(path).Run(); err != nil {
				t.Skipf("this kernel runs none of them: %v", err)
			}
			files, err := actions.NewFiles(t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			box := boxOf(t, Command{Files: files, Network: networkOf(t), Programs: []string{path}})
			cmd := exec.Command(path)
			if err := box.Rules.Within(cmd.Start); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the call goes through")
			}
		})
	}
}
