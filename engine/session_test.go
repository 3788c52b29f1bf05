package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

const withSession = `
config: token: string @secret()
configure: {world: look: {what: "whoami", with: "${config.token}"}, return: {account: "${result.account}"}}
resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: world: do: {what: "make", with: "${session.account}/${inputs.name}"}
	delete: world: do: what: "remove"
}`

func TestSession(t *testing.T) {
	w := newWorld().on("whoami", yields("account", "acme"))
	e, _ := w.engineWith(t, withSession, object("token", "t0ken"))
	created(t, e, "Thing", object("name", "a"))
	if diff := cmp.Diff([]string{"whoami t0ken", "make acme/a"}, w.log()); diff != "" {
		t.Errorf("configure runs once, and its yield is the session (-want +got):\n%s", diff)
	}
	w.on("whoami", refused("401: bad token t0ken"))
	prog, _ := w.compile(t, withSession)
	_, err := prog.Configure(t.Context(), object("token", "t0ken"), engine.Options{Dir: t.TempDir()})
	if err == nil || !strings.HasPrefix(err.Error(), "the provider's configuration does not work") || strings.Contains(err.Error(), "t0ken") {
		t.Errorf("a bad credential is told, without it: %v", err)
	}
	_, diags := w.compile(t, strings.Replace(withSession, "world: look:", "world: do:", 1))
	if len(diags) != 1 || diags[0].Code != "function-effect" {
		t.Errorf("an effect in configure: %+v", diags)
	}
}
