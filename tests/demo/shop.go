package main

import (
	"context"
	"slices"
	"strings"

	"github.com/declprov/declprov/tests/petstore"
)

// counter has the chapters about the store.
type counter struct{ store *petstore.Store }

func shop(store *petstore.Store) part {
	c := counter{store}
	return part{
		title:    "PART TWO: a REST API, with examples/rest-api.cue; this process is the server, on loopback",
		provider: "petstore", spec: "examples/rest-api.cue", env: store.Env(),
		chapters: []chapter{
			{"A REST API in a few lines", c.vet},
			{"Up: POST creates a pet", c.up},
			{"Up again: no request with an effect", c.again},
			{"Somebody else changes the pet: refresh finds it, up repairs it", c.repair},
			{"A precise preview: outputs that updates cannot change remain known", c.precise},
			{"Import of an existing pet by its number", c.adopt},
			{"An asynchronous create: the operation is polled until it is done", c.slow},
			{"An error with the message of the server", c.refuse},
			{"Destroy: all pets and clusters are deleted", c.destroy},
		},
	}
}

// pet returns one resource of the program.
func pet(name string, properties ...string) string {
	text := "  " + name + ":\n    type: petstore:Pet\n    properties:\n"
	for _, p := range properties {
		text += "      " + p + "\n"
	}
	return text
}

const kennel = "  kennel:\n    type: petstore:Cluster\n    properties:\n      name: kennel\n      size: 3\n"

// asked prints the requests with an effect that the store received, and checks them.
func (c counter) asked(s *story, what string, want ...string) {
	got := c.store.Writes()
	for _, line := range got {
		s.say("request to the store: %s", line)
	}
	s.claim(slices.Equal(got, want), "%s", what)
}

func (c counter) vet(ctx context.Context, s *story) error {
	before, _, _ := strings.Cut(s.text, "\n// A cluster of machines.")
	s.spec("the first resource in examples/rest-api.cue, without comments", before, "resources: Pet:")
	code, err := s.declprov(ctx, "vet", "examples/rest-api.cue")
	s.claim(code == 0, "the spec has no mistakes")
	return err
}

func (c counter) up(ctx context.Context, s *story) error {
	if err := s.program(pet("rex", "name: Rex")); err != nil {
		return err
	}
	if _, err := s.must(s.project.Preview(ctx)); err != nil {
		return err
	}
	c.asked(s, "the preview sent no request with an effect")
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	c.asked(s, "one request created the pet, with the default of its kind", `POST /pets {"kind":"dog","name":"Rex"}`)
	recorded, err := s.project.Resource("rex")
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "create=1" && recorded != nil && recorded.ID == "101" && recorded.Outputs["status"] == "available",
		"its number is 101, and it is available")
	return nil
}

func (c counter) again(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "same=1", "nothing changed")
	c.asked(s, "no request with an effect was sent")
	return nil
}

func (c counter) repair(ctx context.Context, s *story) error {
	c.store.Change(101, map[string]any{"name": "Defaced"})
	s.say("Somebody else renames the pet to Defaced.")
	r, err := s.must(s.project.Refresh(ctx))
	if err != nil {
		return err
	}
	s.claim(slices.Equal(r.Outcomes(), []string{"update Pet rex"}), "the refresh found the change")
	if r, err = s.must(s.project.Up(ctx)); err != nil {
		return err
	}
	c.asked(s, "one request with only the difference repaired it", `PATCH /pets/101 {"name":"Rex"}`)
	s.claim(r.Ops() == "update=1" && c.store.Pet(101)["name"] == "Rex", "the name of the pet is Rex again")
	return nil
}

// family returns two pets. The second one depends on the number of the first one, which is
// @stable.
func family(name string) string {
	return pet("rex", "name: "+name) + pet("friend", `name: "friend of ${rex.petId}"`)
}

func (c counter) precise(ctx context.Context, s *story) error {
	if err := s.program(family("Rex")); err != nil {
		return err
	}
	if _, err := s.must(s.project.Up(ctx)); err != nil {
		return err
	}
	c.store.Writes()
	if err := s.program(family("Max")); err != nil {
		return err
	}
	r, err := s.must(s.project.Preview(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "same=1 update=1", "the preview only changes Rex: in the spec, his number is @stable()")
	if r, err = s.must(s.project.Up(ctx)); err != nil {
		return err
	}
	c.asked(s, "up sent one request", `PATCH /pets/101 {"name":"Max"}`)
	s.claim(r.Ops() == "same=1 update=1", "up did what the preview showed")
	return nil
}

func (c counter) adopt(ctx context.Context, s *story) error {
	c.store.Add(map[string]any{"name": "Tom", "kind": "cat"})
	s.say("Somebody else adds a cat with number 103.")
	r, err := s.must(s.project.Import(ctx, "petstore:index:Pet", "tom", "103"))
	if err != nil {
		return err
	}
	s.claim(slices.Contains(r.Outcomes(), "import Pet tom"), "Pulumi manages the cat")
	if err := s.program(family("Max") + pet("tom", "name: Tom", "kind: cat")); err != nil {
		return err
	}
	if r, err = s.must(s.project.Preview(ctx)); err != nil {
		return err
	}
	s.claim(r.Ops() == "same=3", "a program with the same properties changes nothing")
	c.asked(s, "no request with an effect was sent")
	return nil
}

func (c counter) slow(ctx context.Context, s *story) error {
	if err := s.program(family("Max") + pet("tom", "name: Tom", "kind: cat") + kennel); err != nil {
		return err
	}
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	c.asked(s, "one request created the cluster", `POST /clusters {"name":"kennel","size":3}`)
	recorded, err := s.project.Resource("kennel")
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "create=1 same=3" && recorded != nil && recorded.Outputs["state"] == "running",
		"up ended when the cluster was running")
	return nil
}

func (c counter) refuse(ctx context.Context, s *story) error {
	if err := s.program(family("Max") + pet("tom", "name: Tom", "kind: cat") + kennel + pet("nobody", `name: ""`)); err != nil {
		return err
	}
	r, err := s.pulumi(s.project.Up(ctx))
	if err != nil {
		return err
	}
	said := strings.Join(r.Errors(), "\n")
	s.claim(r.ExitCode != 0 && strings.Contains(said, "a pet needs a name"), "up failed with the message of the store")
	s.claim(!strings.Contains(r.Stdout+r.Stderr, petstore.Token), "the output does not contain the token")
	recorded, err := s.project.Resource("nobody")
	s.claim(recorded == nil, "the state does not contain it")
	c.store.Writes()
	return err
}

func (c counter) destroy(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Destroy(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "delete=4", "three pets and a cluster were deleted")
	s.claim(c.store.Pets() == nil && c.store.Clusters() == nil, "the store is empty")
	state, err := s.project.Export()
	if err != nil {
		return err
	}
	s.claim(len(state.Resources) == 0, "the state is empty")
	return nil
}
