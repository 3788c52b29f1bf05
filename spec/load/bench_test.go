package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
)

// manyResources returns a spec with n resources, each with eleven inputs and seven
// actions.
func manyResources(n int) string {
	var b strings.Builder
	b.WriteString("import \"strings\"\n" + loadtest.Head)
	for i := range n {
		fmt.Fprintf(&b, `// Resource number %[1]d.
resources: R%[1]d: {
	inputs: {
		// The name.
		name: strings.MaxRunes(63) @replace()
		kind: *"a" | "b" | "c"
		// How many.
		size?: int & >=1 & <=10
		mode: *"0644" | =~"^0[0-7]{3}$"
		tags?: [string]: string
		on: *true | bool
		secret?: string @secret()
		list: [...string]
		note?: null | string
		port: uint16
		limits: {cpu: number, memory?: int, more?: {a: string, b: *"x" | string}}
	}
	outputs: {url: string @stable(), status: "up" | "down"}
	id: "${steps.start.body.id}"
	create: steps: [
		{as: "start", http: {method: "POST", path: "/r%[1]d", json: "${inputs}"}},
		{http: path: "/r%[1]d/${id}", until: "${body.done}", every: "2s", timeout: "5m"},
		{http: path: "/r%[1]d/${id}"},
	]
	read: http: path: "/r%[1]d/${id}"
	update: steps: [{http: {method: "PATCH", path: "/r%[1]d/${id}", json: "${changes}"}}, {http: path: "/r%[1]d/${id}"}]
	delete: http: {method: "DELETE", path: "/r%[1]d/${id}", retry: {on: [503], attempts: 5}}
}
`, i)
	}
	return b.String()
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{3, 30, 300} {
		src := load.Source{Path: "-", Format: "cue", Stdin: []byte(manyResources(n))}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, diags := load.Load(b.Context(), src); len(diags) > 0 {
					b.Fatal(diags)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/resource")
		})
	}
}
