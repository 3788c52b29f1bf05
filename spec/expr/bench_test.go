package expr

import "testing"

func BenchmarkCompile(b *testing.B) {
	scope := petScope()
	for name, text := range map[string]string{"literal": "plain", "chain": "${inputs.name}", "small": "${inputs.mode ?? \"0644\"}", "text": "/pets/${id}/x", "large": "${map(filter(inputs.rules, .port > 80 && .note != null), upper(.note))}"} {
		n := stringNode(text)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, diags := Compile(n, scope, nil); len(diags) > 0 {
					b.Fatal(diags)
				}
			}
		})
	}
}

func BenchmarkEval(b *testing.B) {
	vars := petVars()
	secret := petVars()
	secret.Secrets = [][]string{{"config", "token"}}
	for name, text := range map[string]string{"literal": "plain", "chain": "${inputs.name}", "small": "${inputs.size + 1}", "text": "/pets/${id}/x", "merge": "${merge(config, {a: 1})}", "large": "${map(filter(inputs.rules, .port > 80), upper(.protocol))}"} {
		v := mustCompile(b, text, nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Eval(vars); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	v := mustCompile(b, "${inputs.name}", nil)
	b.Run("chain with secrets", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := v.Eval(secret); err != nil {
				b.Fatal(err)
			}
		}
	})
}
