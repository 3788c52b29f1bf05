package petstore_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/petstore"
)

// open starts a store, and a stack whose provider is the example alone.
func open(t *testing.T) (*petstore.Store, *pulumitest.Stack) {
	t.Helper()
	store := petstore.Open()
	t.Cleanup(store.Close)
	folder := provider.Folder(t, "petstore", "examples/rest-api.cue")
	return store, pulumitest.New(t, pulumitest.Providers{"petstore": folder}, store.Env()...)
}

// wrote asserts what the store was asked to change since the last time.
func wrote(t *testing.T, store *petstore.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, store.Writes()); diff != "" {
		t.Errorf("what the store was asked to change (-want +got):\n%s", diff)
	}
}

const rex = `resources:
  rex: {type: petstore:Pet, properties: {name: Rex}}
`

func TestALifeOfAPet(t *testing.T) {
	t.Parallel()
	store, s := open(t)
	s.Program(rex)
	s.Preview("create=1")
	wrote(t, store)
	s.Up("create=1")
	wrote(t, store, `POST /pets {"kind":"dog","name":"Rex"}`)
	if got := s.Recorded("rex"); got.ID != "101" || got.Outputs["petId"] != 101.0 || got.Outputs["status"] != "available" {
		t.Errorf("id %q, outputs %v", got.ID, got.Outputs)
	}
	s.Up("same=1")

	s.Program(strings.Replace(rex, "name: Rex", "name: Max, tags: {likes: bones}", 1))
	s.Up("update=1")
	wrote(t, store, `PATCH /pets/101 {"name":"Max","tags":{"likes":"bones"}}`)
	s.Up("same=1")

	s.Program(strings.Replace(rex, "name: Rex", "name: Max", 1))
	s.Up("update=1")
	wrote(t, store, `PATCH /pets/101 {"tags":null}`)
	s.Up("same=1")

	s.Program(strings.Replace(rex, "name: Rex", "name: Max, kind: cat", 1))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	wrote(t, store, `POST /pets {"kind":"cat","name":"Max"}`, `DELETE /pets/101`)
	s.Up("same=1")

	s.Destroy("delete=1")
	wrote(t, store, `DELETE /pets/102`)
	if pets := store.Pets(); pets != nil {
		t.Errorf("pets are left: %v", pets)
	}
}

func TestDriftOfAPet(t *testing.T) {
	t.Parallel()
	store, s := open(t)
	s.Program(rex)
	s.Up("create=1")
	store.Change(101, map[string]any{"name": "Defaced", "tags": map[string]any{"by": "hand"}})
	store.Writes()
	s.Refresh("update Pet rex")
	wrote(t, store)
	s.Up("update=1")
	wrote(t, store, `PATCH /pets/101 {"name":"Rex","tags":null}`)
	s.Refresh("same Pet rex")

	// An output alone is no change of the program's, and is taken over.
	store.Change(101, map[string]any{"status": "sold"})
	s.Refresh("same Pet rex")
	if got := s.Recorded("rex").Outputs["status"]; got != "sold" {
		t.Errorf("status %v", got)
	}
	s.Up("same=1")

	store.Remove(101)
	s.Refresh("delete Pet rex")
	s.Up("create=1")
	wrote(t, store, `POST /pets {"kind":"dog","name":"Rex"}`)
}

func TestAPetThatWasDeletedByHand(t *testing.T) {
	t.Parallel()
	store, s := open(t)
	s.Program(rex)
	s.Up("create=1")
	store.Remove(101)
	s.Destroy("delete=1")
}

func TestImportOfAPet(t *testing.T) {
	t.Parallel()
	store, s := open(t)
	id := store.Add(map[string]any{"name": "Tom", "kind": "cat", "tags": map[string]any{"likes": "mice"}})
	s.Import("petstore:index:Pet", "tom", "101")
	s.Program("resources:\n  tom: {type: petstore:Pet, properties: {name: Tom, kind: cat, tags: {likes: mice}}}\n")
	s.Up("same=1")
	wrote(t, store)
	s.Destroy("delete=1")
	if store.Pet(id) != nil {
		t.Error("the pet is still there")
	}
}

// TestPreviewIsPrecise shows that an update leaves what it cannot change known:
// what depends on it does not change either.
func TestPreviewIsPrecise(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	const two = `resources:
  rex: {type: petstore:Pet, properties: {name: NAME}}
  friend: {type: petstore:Pet, properties: {name: "friend of ${rex.petId}"}}
  watcher: {type: petstore:Pet, properties: {name: "rex is ${rex.status}"}}
`
	s.Program(strings.Replace(two, "NAME", "Rex", 1))
	s.Up("create=3")
	s.Program(strings.Replace(two, "NAME", "Max", 1))
	r := s.Preview("same=1 update=2")
	var steps []string
	for _, step := range r.Steps() {
		steps = append(steps, step.String())
	}
	for _, want := range []string{"same Pet friend", "update Pet rex (name)", "update Pet watcher (name)"} {
		if !strings.Contains(strings.Join(steps, "\n"), want) {
			t.Errorf("the preview has no %q: %q", want, steps)
		}
	}
	s.Up("same=2 update=1")
	s.Up("same=3")
}

func TestALifeOfACluster(t *testing.T) {
	t.Parallel()
	store, s := open(t)
	const cluster = "resources:\n  c: {type: petstore:Cluster, properties: {name: kennel, size: 3}}\n"
	s.Program(cluster)
	s.Up("create=1")
	wrote(t, store, `POST /clusters {"name":"kennel","size":3}`)
	got := s.Recorded("c")
	if got.ID != "cl-101" || got.Outputs["state"] != "running" || got.Outputs["address"] != "cl-101.clusters.example.com" {
		t.Errorf("id %q, outputs %v", got.ID, got.Outputs)
	}
	s.Up("same=1")
	s.Program(strings.Replace(cluster, "3", "5", 1))
	s.Up("update=1")
	wrote(t, store, `PATCH /clusters/cl-101 {"size":5}`)
	s.Refresh("same Cluster c")
	s.Up("same=1")
	s.Import("petstore:index:Cluster", "again", "cl-101")
	s.Destroy("delete=2")
	if left := store.Clusters(); left != nil {
		t.Errorf("clusters are left: %v", left)
	}
}

// TestFailedOperations shows that nothing waits for an operation that has failed: the next run
// starts a new one, once the cause is removed. A create leaves nothing in between.
func TestFailedOperations(t *testing.T) {
	t.Parallel()
	store, s := open(t)
	const cluster = "resources:\n  c: {type: petstore:Cluster, properties: {name: kennel, size: 3}}\n"
	fails := func(program string) {
		t.Helper()
		store.Break(true)
		s.Program(program)
		if said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n"); !strings.Contains(said, "out of kennels") {
			t.Errorf("the error is not the server's:\n%s", said)
		}
		store.Break(false)
	}
	fails(cluster)
	s.Unrecorded("c")
	s.Up("create=1")
	resized := strings.Replace(cluster, "3", "5", 1)
	fails(resized)
	s.Up("update=1")
	wrote(t, store, `POST /clusters {"name":"kennel","size":3}`, `DELETE /clusters/cl-101`,
		`POST /clusters {"name":"kennel","size":3}`, `PATCH /clusters/cl-104 {"size":5}`, `PATCH /clusters/cl-104 {"size":5}`)
	if got := s.Recorded("c").Outputs["state"]; got != "running" {
		t.Errorf("state %v", got)
	}
	s.Up("same=1")
	store.RemoveCluster("cl-104")
	s.Destroy("delete=1")
}

func TestAFunctionOfTheStore(t *testing.T) {
	t.Parallel()
	store, s := open(t)
	store.Add(map[string]any{"name": "Tom", "kind": "cat"})
	s.Program(`variables:
  tom: {fn::invoke: {function: petstore:getPet, arguments: {petId: 101}}}
resources:
  friend: {type: petstore:Pet, properties: {name: "friend of ${tom.name}"}}
outputs:
  kind: ${tom.kind}
`)
	s.Up("create=1")
	wrote(t, store, `POST /pets {"kind":"dog","name":"friend of Tom"}`)
	out, err := s.Outputs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"kind": "cat"}, out); diff != "" {
		t.Error(diff)
	}
}

func TestAWrongTokenIsSaidOnce(t *testing.T) {
	t.Parallel()
	store := petstore.Open()
	t.Cleanup(store.Close)
	const wrong = "not-the-token-at-all"
	s := pulumitest.New(t, pulumitest.Providers{"petstore": provider.Folder(t, "petstore", "examples/rest-api.cue")},
		"PETSTORE_ENDPOINT="+store.URL, "PETSTORE_TOKEN="+wrong)
	s.Program(rex)
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	for _, want := range []string{"configuration does not work", "401", "this token opens no door"} {
		if !strings.Contains(said, want) {
			t.Errorf("the error has no %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, wrong) {
		t.Errorf("the error has the token:\n%s", said)
	}
	wrote(t, store)
}

func TestTheServersOwnMessage(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	s.Program(strings.Replace(rex, "name: Rex", `name: ""`, 1))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "a pet needs a name") || !strings.Contains(said, "422") {
		t.Errorf("the error is not the server's:\n%s", said)
	}
	s.Unrecorded("rex")
}
