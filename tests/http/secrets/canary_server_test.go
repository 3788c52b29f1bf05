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

// sent returns the secrets of the provider's configuration that are sent to the server.
func sent() []string {
	return []string{
		"token", "password", "apiKey", "cookie", "parameter", "header", "clientSecret", "loginSecret",
		"userPassword", "refreshToken", "subjectToken", "sessionToken", "signToken",
	}
}

// unsent returns those that sign requests or answer challenges. Nobody receives them.
func unsent() []string {
	return []string{"digest", "accessSecret", "signSecret", "macKey", "signingKey", "clientKey"}
}

// settings returns all secrets of the provider's configuration.
func settings() []string { return append(sent(), unsent()...) }

// canaryServer is a server, and the secrets that are sent to it or returned by it.
type canaryServer struct {
	*testing.T
	server   *hostile.Server
	canaries canaries
	shapes   []shape // forms of the canaries
}

func newCanaryServer(t *testing.T, server *hostile.Server) *canaryServer {
	s := &canaryServer{T: t, server: server, canaries: newCanaries()}
	s.shapes = s.canaries.shapes()
	server.Extra, server.Token = hostile.Object{"answer": s.canaries["answer"]}, s.canaries["issued"]
	return s
}

// checkText fails the test if a text contains a canary.
func (s *canaryServer) checkText(where, text string) {
	s.Helper()
	for _, what := range findShapes(s.shapes, text) {
		s.Errorf("%s shows %s", where, what)
	}
}

// searchFiles fails the test if a file in one of the folders contains a canary.
func (s *canaryServer) searchFiles(dirs ...string) {
	s.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains(d.Name(), "pulumi-resource-") {
				return err
			}
			text, err := os.ReadFile(path)
			s.checkText(path, string(text))
			return err
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			s.Error(err)
		}
	}
}

// searchArguments fails the test if the arguments of a process contain a canary.
func (s *canaryServer) searchArguments() {
	s.Helper()
	var all strings.Builder
	for path, text := range provider.CommandLines() {
		fmt.Fprintf(&all, "%s: %s\n", path, text)
	}
	if all.Len() == 0 {
		s.Error("cannot list processes")
	}
	s.checkText("the process list", all.String())
}

// checkArrived fails the test if a canary was never sent to the server, or one was that must not
// be.
func (s *canaryServer) checkArrived(places ...string) {
	s.Helper()
	all := s.received()
	arrived := func(place string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(forms(s.canaries[place]))), func(f string) bool { return strings.Contains(all, f) })
	}
	for _, place := range places {
		if !arrived(place) {
			s.Errorf("the server never received the %s", place)
		}
	}
	for _, place := range unsent() {
		if arrived(place) {
			s.Errorf("the server received the %s", place)
		}
	}
}

// received returns everything that the server received.
func (s *canaryServer) received() string {
	var all strings.Builder
	for _, r := range s.server.Requests() {
		all.WriteString(r.URI + "\n" + r.Body + "\n")
		for _, values := range r.Header {
			all.WriteString(strings.Join(values, "\n") + "\n")
		}
		// OAuth escapes the client id and secret before it encodes them (RFC 6749, 2.3.1).
		if code, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Basic "); ok {
			if text, err := base64.StdEncoding.DecodeString(code); err == nil {
				all.Write(append(text, '\n'))
			}
		}
	}
	return all.String()
}
