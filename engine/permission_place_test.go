//go:build unix

package engine_test

import (
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestPlaceOfAPermission checks that a permission that its settings make invalid is located.
func TestPlaceOfAPermission(t *testing.T) {
	for name, spec := range map[string]string{
		"written": `permissions: hosts: ["${config.uri}"]`,
		"implied": `http: baseURL: "${config.uri}"`,
	} {
		t.Run(name, func(t *testing.T) {
			program, _ := newWorld().compile(t, `
config: uri: string
`+spec+`
resources: {}`)
			_, err := program.Configure(t.Context(), object("uri", "https://local host"), engine.Options{Dir: t.TempDir()})
			if err == nil || !place.MatchString(err.Error()) {
				t.Errorf("%v", err)
			}
			if _, err := program.Configure(t.Context(), object("uri", "https://localhost"), engine.Options{Dir: t.TempDir()}); err != nil {
				t.Error(err)
			}
		})
	}
}
