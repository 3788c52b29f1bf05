package secrets

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/provider"
)

// settings are the secrets of the provider's configuration.
func settings() []string {
	return []string{"token", "password", "apiKey", "cookie", "parameter", "header", "clientSecret", "loginSecret"}
}

// scene is a server, and the secrets that it is told and tells.
type scene struct {
	*testing.T
	server   *hostile.Server
	canaries canaries
	shapes   []shape // of the canaries
}

func newScene(t *testing.T, server *hostile.Server) *scene {
	s := &scene{T: t, server: server, canaries: newCanaries()}
	s.shapes = s.canaries.shapes()
	server.Extra, server.Token = hostile.Object{"answer": s.canaries["answer"]}, s.canaries["issued"]
	return s
}

// secret fails the test where a text shows a canary.
func (s *scene) secret(where, text string) {
	s.Helper()
	for _, what := range found(s.shapes, text) {
		s.Errorf("%s shows %s", where, what)
	}
}

// files fails the test where a file below one of the folders shows a canary.
func (s *scene) files(dirs ...string) {
	s.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains(d.Name(), "pulumi-resource-") {
				return err
			}
			text, err := os.ReadFile(path)
			s.secret(path, string(text))
			return err
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			s.Error(err)
		}
	}
}

// arguments fails the test where the arguments of a process show a canary.
func (s *scene) arguments() {
	s.Helper()
	var all strings.Builder
	for path, text := range provider.CommandLines() {
		fmt.Fprintf(&all, "%s: %s\n", path, text)
	}
	if all.Len() == 0 {
		s.Error("there is no table of processes")
	}
	s.secret("the process list", all.String())
}

// arrived fails the test where a canary never reached the server.
func (s *scene) arrived(places ...string) {
	s.Helper()
	var all strings.Builder
	for _, r := range s.server.Requests() {
		all.WriteString(r.URI + "\n" + r.Body + "\n")
		for _, values := range r.Header {
			all.WriteString(strings.Join(values, "\n") + "\n")
		}
		// OAuth escapes a client and its secret before it encodes them (RFC 6749,
		// 2.3.1).
		if code, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Basic "); ok {
			if text, err := base64.StdEncoding.DecodeString(code); err == nil {
				all.Write(append(text, '\n'))
			}
		}
	}
	for _, place := range places {
		if !slices.ContainsFunc(slices.Collect(maps.Values(forms(s.canaries[place]))), func(f string) bool { return strings.Contains(all.String(), f) }) {
			s.Errorf("the %s never arrived", place)
		}
	}
}
