// Recorder is a command that says what it got: its arguments, the variable V, and
// its standard input, each as it came, in JSON.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Got is what it prints; bytes are base64 in JSON.
type Got struct {
	Args  [][]byte `json:"args"`
	Env   []byte   `json:"env"`
	Stdin []byte   `json:"stdin"`
	// Names are those of all its variables.
	Names []string `json:"names"`
}

func main() {
	got := Got{Args: [][]byte{}}
	for _, a := range os.Args[1:] {
		got.Args = append(got.Args, []byte(a))
	}
	got.Env = []byte(os.Getenv("V"))
	for _, v := range os.Environ() {
		for i := range v {
			if i > 0 && v[i] == '=' {
				got.Names = append(got.Names, v[:i])
				break
			}
		}
	}
	var err error
	if got.Stdin, err = io.ReadAll(os.Stdin); err == nil {
		err = json.NewEncoder(os.Stdout).Encode(got)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
