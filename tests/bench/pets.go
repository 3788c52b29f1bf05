package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/petstore"
)

// pets measures every verb on a resource of a REST API: examples/rest-api.cue, compared with a
// provider by hand of the same store. That provider has no journal, so the create of the example
// does without its idempotency key; part "requests" measures what that key costs.
func (b *bench) pets(ctx context.Context) error {
	store := petstore.Open()
	defer store.Close()
	ours, err := b.petstore(store.Env())
	if err != nil {
		return err
	}
	hand := b.raw
	hand.program, hand.env = filepath.Join(filepath.Dir(hand.program), "pulumi-resource-petstore"), store.Env()
	if err := os.Link(b.raw.program, hand.program); err != nil {
		return err
	}
	return b.compare(ctx, petWork(store), hand, ours, 1.25)
}

// petstore is the provider that our binary makes of the example.
func (b *bench) petstore(env []string) (peer, error) {
	text, err := os.ReadFile(filepath.Join(b.root, "examples", "rest-api.cue"))
	if err != nil {
		return peer{}, err
	}
	spec, key := string(text), `rest: {path: "/pets", idempotencyKey: true}`
	if !strings.Contains(spec, key) {
		return peer{}, fmt.Errorf("examples/rest-api.cue has no %s", key)
	}
	spec = strings.Replace(spec, key, `rest: "/pets"`, 1)
	folder, err := os.MkdirTemp(b.dir, "petstore-")
	if err != nil {
		return peer{}, err
	}
	p := peer{name: "declprov, petstore", program: filepath.Join(folder, "pulumi-resource-petstore"), env: env}
	return p, provider.Make(folder, b.serving, "petstore", ".cue", spec)
}

func petWork(store *petstore.Store) workload {
	return workload{
		title: "http: ", token: "petstore:index:Pet",
		inputs: func(i int, changed bool) *structpb.Struct {
			fur := "brown"
			if changed {
				fur = "grey"
			}
			return &structpb.Struct{Fields: map[string]*structpb.Value{
				"name": structpb.NewStringValue(fmt.Sprintf("pet-%d", i)),
				"kind": structpb.NewStringValue("dog"),
				"tags": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
					"fur": structpb.NewStringValue(fur), "food": structpb.NewStringValue("anything"),
				}}),
			}}
		},
		after: func() { store.Writes() }, // its record would grow
	}
}
