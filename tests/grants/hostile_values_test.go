package grants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// trick is a value that tries to become more than a value. No permission allows it, so
// the test knows by an honest value that the spec does what it says.
type trick struct {
	body   string
	honest string
	// tricks are values, or archives, by what they try.
	tricks map[string]string
}

func tricks() map[string]trick {
	file := func(path string) string {
		return thing(`p: string`, `file: write: {path: "`+path+`", content: "canary", overwrite: true}`)
	}
	request := func(step string) string { return thing(`p: string`, `http: `+step) }
	return map[string]trick{
		"a path": {file("${inputs.p}"), "allowed/found", map[string]string{
			"NUL": "allowed/a\x00/../../out/made", "a NUL at the end": "OUT/made\x00allowed/found", "dots": "allowed/../../out/made", "a scheme": "file://OUT/made",
			"a process's folder": "/proc/self/cwd/../out/made", "slashes": "//OUT/made", "a home": "~/../OUT/made", "a variable": "$PWD/../out/made", "dots behind a link": "allowed/link/../made",
		}},
		"a part of a path": {file("allowed/${inputs.p}"), "found", map[string]string{
			"dots": "../../out/made", "an absolute one": "OUT/made", "NUL": "x\x00/../../../out/made", "a link": "link/made", "dots in other words": "..\\..\\out\\made",
		}},
		"a URL": {request(`{url: "${inputs.p}", effect: "write"}`), "HOME/leak?canary", map[string]string{
			"a user": "http://HOMEHOST@EVILHOST/x", "a user and a password": "http://127.0.0.1:HOMEPORT@EVILHOST/x", "a backslash": `http://EVILHOST\@HOMEHOST/x`,
			"a backslash behind": `http://HOMEHOST\@EVILHOST/x`, "a fragment": "http://EVILHOST#@HOMEHOST/x", "a query": "http://EVILHOST?@HOMEHOST/x",
			"a line": "http://HOMEHOST\r\n@EVILHOST/x", "a tab": "http://EVILHOST\t/x", "NUL": "http://EVILHOST\x00.HOMEHOST/x", "an escape": "http://127.0.0.1%3APORT/x",
			"no scheme": "//EVILHOST/x", "another scheme": "gopher://EVILHOST/x", "a short address": "http://127.1:PORT/x", "a number": "http://2130706433:PORT/x",
			"an octal one": "http://0177.0.0.1:PORT/x", "nothing": "http://0:PORT/x", "a wide one": "http://１２７.0.0.1:PORT/x", "a mapped one": "http://[::ffff:127.0.0.1]:PORT/x",
			"a zone": "http://[::1%25lo]:PORT/x", "a name": "http://localhost:PORT/x",
		}},
		"the end of a host": {request(`{url: "HOME${inputs.p}/canary", effect: "write"}`), "", map[string]string{
			"a user": "@EVILHOST", "a user and a path": "@EVILHOST/", "a line": " HTTP/1.1\r\nX-Key: canary\r\n", "a name": ".evil.test", "a path": "/x",
		}},
		"a path of a server": {request(`{baseURL: "HOME", path: "/x/${segments(inputs.p)}", effect: "write"}`), "canary", map[string]string{
			"dots": "../canary", "dots that are escaped": "%2e%2e/../canary", "dots in the middle": "a/../../canary",
		}},
		"a header": {request(`{baseURL: "HOME", path: "/x", effect: "write", headers: Cookie: "${inputs.p}"}`), "canary", map[string]string{
			"a line": "a\r\nX-Key: canary", "a newline": "a\nX-Key: canary", "a return": "a\rX-Key: canary", "a request": "a\r\n\r\nGET /canary HTTP/1.1\r\nHost: x\r\n\r\n", "NUL": "a\x00canary",
		}},
		"a method": {request(`{baseURL: "HOME", path: "/x", effect: "write", method: "${inputs.p}"}`), "CANARY", map[string]string{
			"a request": "GET /canary HTTP/1.1\r\nHost: x\r\n\r\nGET", "a path": "GET /canary", "a line": "GET\r\nX-Key: canary",
		}},
		"a tar file": {unpacked("allowed"), "archive found.tar", archives(".tar")},
		"a zip file": {unpacked("allowed"), "archive found.zip", archives(".zip")},
	}
}

// archives are those that try to become files elsewhere. A NUL is no part of a name in a
// tar file, whose writer refuses it.
func archives(as string) map[string]string {
	all := map[string]string{
		"dots": "dots", "an absolute name": "absolute", "dots in the middle": "middle", "a backslash": "backslash", "a link that it makes": "symlink", "a hard link": "hard",
		"a hard link that it writes through": "through", "a device": "device", "a file in the place of a link, and one in it": "twice",
	}
	if as == ".zip" {
		all["NUL"] = "nul"
	}
	for what, name := range all {
		all[what] = "archive " + name + as
	}
	return all
}

// TestHostileValues: no value becomes a path, a server, a header or a file beside what
// the template says, whatever stands in it.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	for place, tr := range tricks() {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, attack{narrow: own, body: tr.body}, false)
			if said, passes := vet(t, s.spec); !passes {
				t.Fatal(said)
			}
			try := func(value string) (said string, did bool) {
				s := newScene(t, attack{narrow: own, body: tr.body}, false)
				d := serve(t, s.spec, s.dir, nil)
				inputs := s.handed("", "")
				if door, what, _ := strings.Cut(value, " "); door == "archive" {
					inputs = s.handed(door, what)
				} else {
					inputs["p"] = property.New(s.named(value))
				}
				_, said = d.made(it(), inputs)
				return said, s.did() || strings.Contains(strings.ToLower(strings.Join(s.home.asked(), "\n")), "canary")
			}
			if said, did := try(tr.honest); !did {
				t.Errorf("an honest value does nothing: %s", said)
			}
			for name, value := range tr.tricks {
				if said, did := try(value); did {
					t.Errorf("%s: it did: %s", name, said)
				}
			}
		})
	}
}

// TestHardLinks: a file with a second name outside of what is granted can be read, as its
// name is granted; what changes is the granted name alone.
func TestHardLinks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ step, want string }{
		"read":   {`steps: [{as: "look", file: read: path: "allowed/hard"}, {http: {url: "HOME/leak", query: found: "${steps.look.content}", effect: "none"}}]`, "canary"},
		"write":  {`file: write: {path: "allowed/hard", content: "new", mode: "0666", overwrite: true}`, "new"},
		"copy":   {`steps: [{file: write: {path: "allowed/from", content: "new", mode: "0666"}}, {file: copy: {from: "allowed/from", path: "allowed/hard", overwrite: true}}]`, "new"},
		"unpack": {`file: unpack: {path: "allowed", archive: "${inputs.source}", overwrite: true, mode: "0666"}`, "canary, packed"},
		"delete": {`file: delete: path: "allowed/hard"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, attack{narrow: own, body: thing("source: spec.#Archive", tc.step)}, false)
			outside, inside := filepath.Join(s.out, "secret"), filepath.Join(s.dir, "allowed", "hard")
			if err := os.Link(outside, inside); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(outside)
			if err != nil {
				t.Fatal(err)
			}
			d := serve(t, s.spec, s.dir, nil)
			_, said := d.made(it(), s.handed("archive", "hardly.tar"))
			got, err := os.ReadFile(inside)
			if string(got) != tc.want || (err != nil) != (tc.want == "") {
				t.Errorf("the granted name has %q, want %q: %s", got, tc.want, said)
			}
			after, err := os.Stat(outside)
			if err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(outside)
			if err != nil || string(content) != "canary" || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("the other name has %q, mode %s: %v", content, after.Mode(), err)
			}
			if leaked := strings.Contains(strings.Join(s.home.asked(), "\n"), "canary"); leaked != (name == "read") {
				t.Errorf("read: %v", leaked)
			}
		})
	}
}
