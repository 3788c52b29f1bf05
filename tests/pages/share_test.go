package pages

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/archives"
	"github.com/declprov/declprov/tests/internal/gitserver"
	"github.com/declprov/declprov/tests/petstore"
)

// program is a program for the provider of the page.
const program = "name: program\nruntime: yaml\nresources:\n  rex:\n    type: petstore:Pet\n    properties: {name: Rex}\n"

// clinic is the second spec of the page.
const clinic = "name: clinic\nversion: 2.0.0\nresources: {}\nfunctions: {hours: {outputs: {text: string}, return: {text: \"8-18\"}}}\n"

// TestShare runs each section of docs/share.md from an empty home.
func TestShare(t *testing.T) {
	t.Parallel()
	type section struct {
		// files are the files that the section presumes, besides the spec.
		files map[string]string
		spec  string
		// unrun are the beginnings of blocks of commands that are not run here, with the
		// reason.
		unrun map[string]string
		// pets is the number of pets after the section.
		pets int
	}
	sections := map[string]section{
		"A checked-out project": {spec: "petstore/petstore.cue", pets: 1},
		"A Git repository": {
			spec: "providers/petstore/petstore.cue", pets: 1,
			files: map[string]string{"providers/petstore/PulumiPlugin.yaml": "runtime: declprov\n"},
		},
		"An archive": {
			spec: "petstore.cue",
			unrun: map[string]string{
				"declprov permissions --diff":                    "requires a second version: see tests/roads",
				"declprov package petstore.cue -o dist --binary": "requires declprov for other platforms: see tests/roads",
			},
		},
		"A parameter":           {spec: "petstore.cue", files: map[string]string{"Pulumi.yaml": program}, pets: 1},
		"An installed provider": {spec: "petstore.cue", files: map[string]string{"Pulumi.yaml": program, "clinic.yaml": clinic}},
		"A running provider":    {unrun: map[string]string{"PULUMI_DEBUG_PROVIDERS": "requires a second terminal: see tests/roads"}},
	}
	p := open(t, "share.md")
	for _, part := range strings.Split(p.text, "\n## ")[1:] {
		title, _, _ := strings.Cut(part, "\n")
		s, ok := sections[title]
		if !ok {
			t.Errorf("the section %q is not run", title)
			continue
		}
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			store := petstore.Open()
			t.Cleanup(store.Close)
			dir, env := home(t, store.Env()...)
			address, authority := publish(t, dir)
			if s.spec != "" {
				example(t, "rest-api.cue", filepath.Join(dir, s.spec))
				edit(t, filepath.Join(dir, s.spec), `"1.2.0"`, `"0.1.0"`)
			}
			for name, text := range s.files {
				write(t, filepath.Join(dir, name), text)
			}
			here := parse("share.md", part)
			here.blocks = slices.DeleteFunc(here.blocks, func(b block) bool {
				for begin := range s.unrun {
					if strings.HasPrefix(b.text, begin) {
						return true
					}
				}
				return false
			})
			for i, b := range here.blocks {
				if first, _, _ := strings.Cut(b.text, " "); b.language == "" && (first == "declprov" || first == "pulumi" || first == "git") {
					here.blocks[i].language = "sh"
				}
			}
			env = append(env, "SSL_CERT_FILE="+authority)
			if s.files["providers/petstore/PulumiPlugin.yaml"] != "" {
				env = append(env, host(t, dir, filepath.Join(dir, "providers"))...)
			}
			platform := runtime.GOOS + "-" + runtime.GOARCH
			sums := "dist/pulumi-resource-petstore-v0.1.0-checksums.txt"
			here.run(t, dir, env,
				"linux-amd64", platform,
				"git ", "git -C providers ",
				"pulumi up\n", "pulumi stack select --create dev\npulumi up\n",
				"pulumi plugin install resource petstore 0.1.0 --server https://plugins.example.com/petstore --checksum SHA256",
				"pulumi plugin rm resource petstore --yes\npulumi plugin install resource petstore 0.1.0 --server "+address+
					` --checksum "$(grep `+platform+" "+sums+` | cut -d ' ' -f 1)"`,
			)
			if n := len(store.Pets()); n != s.pets {
				t.Errorf("the store has %d pets, expected %d", n, s.pets)
			}
		})
	}
}

// publish serves the archives in a folder until the test ends, and returns the address and the
// file with the certificate.
func publish(t *testing.T, dir string) (address, authority string) {
	t.Helper()
	server, certificate := archives.Serve(filepath.Join(dir, "dist"))
	t.Cleanup(server.Close)
	authority = filepath.Join(dir, "authority.pem")
	write(t, authority, string(certificate))
	return server.URL, authority
}

// host makes a Git repository of a folder, whose remote is me/providers.git on a server that runs until
// the test ends. It returns the environment in which Pulumi finds that.
func host(t *testing.T, dir, folder string) (env []string) {
	t.Helper()
	served := filepath.Join(dir, "served")
	remote := filepath.Join(served, "me", "providers.git")
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", remote},
		{"init", "--quiet", folder},
		{"-C", folder, "add", "."},
		{"-C", folder, "-c", "user.name=me", "-c", "user.email=me@example.com", "commit", "--quiet", "--message=petstore"},
		{"-C", folder, "remote", "add", "origin", remote},
		{"-C", folder, "push", "--quiet", "origin", "HEAD"},
	} {
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	proxy, certificate, closeAll, err := gitserver.Serve(t.Context(), served)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	authority := filepath.Join(dir, "git.pem")
	write(t, authority, string(certificate))
	return []string{"HTTPS_PROXY=" + proxy, "SSL_CERT_FILE=" + authority}
}
