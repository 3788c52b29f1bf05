package main

import (
	"context"
	"slices"
	"strings"

	"github.com/declprov/declprov/tests/petstore"
)

// counter is the store's, as the demo looks over it.
type counter struct{ store *petstore.Store }

func shop(store *petstore.Store) part {
	c := counter{store}
	return part{
		title:    "PART TWO: a REST API, by examples/rest-api.cue; the store is in this process, on loopback",
		provider: "petstore", spec: "examples/rest-api.cue", env: store.Env(),
		chapters: []chapter{
			{"A REST API in a few lines", c.vet},
			{"Up: a pet is made by POST", c.up},
			{"Up again: no request that changes anything", c.again},
			{"Somebody changes the pet: refresh finds it, up repairs it", c.repair},
			{"A precise plan: what an update cannot change stays known", c.precise},
			{"Import: a pet that is there is taken over by its number", c.adopt},
			{"A cluster takes its time: the operation is asked until it is done", c.slow},
			{"A refusal in the server's own words", c.refuse},
			{"Destroy: the store is empty", c.destroy},
		},
	}
}

// pet is one resource of the program.
func pet(name string, properties ...string) string {
	text := "  " + name + ":\n    type: petstore:Pet\n    properties:\n"
	for _, p := range properties {
		text += "      " + p + "\n"
	}
	return text
}

const kennel = "  kennel:\n    type: petstore:Cluster\n    properties:\n      name: kennel\n      size: 3\n"

// asked shows what the store was asked to change, and claims that it was this.
func (c counter) asked(s *story, what string, want ...string) {
	got := c.store.Writes()
	for _, line := range got {
		s.say("the store was asked: %s", line)
	}
	s.claim(slices.Equal(got, want), "%s", what)
}

func (c counter) vet(ctx context.Context, s *story) error {
	before, _, _ := strings.Cut(s.text, "\n// A cluster of machines.")
	s.spec("examples/rest-api.cue, its first resource without the comments", before, "resources: Pet:")
	code, err := s.declprov(ctx, "vet", "examples/rest-api.cue")
	s.claim(code == 0, "the spec has no mistakes; what may happen twice, it says")
	return err
}

func (c counter) up(ctx context.Context, s *story) error {
	if err := s.program(pet("rex", "name: Rex")); err != nil {
		return err
	}
	if _, err := s.must(s.project.Preview(ctx)); err != nil {
		return err
	}
	c.asked(s, "the preview changed nothing")
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	c.asked(s, "one request made the pet, the default of its kind with it", `POST /pets {"kind":"dog","name":"Rex"}`)
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
	c.asked(s, "and nothing was asked for")
	return nil
}

func (c counter) repair(ctx context.Context, s *story) error {
	c.store.Change(101, map[string]any{"name": "Defaced"})
	s.say("Somebody else calls the pet Defaced.")
	r, err := s.must(s.project.Refresh(ctx))
	if err != nil {
		return err
	}
	s.claim(slices.Equal(r.Outcomes(), []string{"update Pet rex"}), "the refresh found it")
	if r, err = s.must(s.project.Up(ctx)); err != nil {
		return err
	}
	c.asked(s, "one request with what differs, and nothing else, repaired it", `PATCH /pets/101 {"name":"Rex"}`)
	s.claim(r.Ops() == "update=1" && c.store.Pet(101)["name"] == "Rex", "the pet is Rex again")
	return nil
}

// family are two pets, of which the second depends on the first one's number,
// which is @stable.
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
	s.claim(r.Ops() == "same=1 update=1", "the preview changes Rex alone: the spec says of his number @stable()")
	if r, err = s.must(s.project.Up(ctx)); err != nil {
		return err
	}
	c.asked(s, "and so it was", `PATCH /pets/101 {"name":"Max"}`)
	s.claim(r.Ops() == "same=1 update=1", "what was previewed is what was done")
	return nil
}

func (c counter) adopt(ctx context.Context, s *story) error {
	c.store.Add(map[string]any{"name": "Tom", "kind": "cat"})
	s.say("Somebody else brings a cat, number 103.")
	r, err := s.must(s.project.Import(ctx, "petstore:index:Pet", "tom", "103"))
	if err != nil {
		return err
	}
	s.claim(slices.Contains(r.Outcomes(), "import Pet tom"), "the cat is Pulumi's now")
	if err := s.program(family("Max") + pet("tom", "name: Tom", "kind: cat")); err != nil {
		return err
	}
	if r, err = s.must(s.project.Preview(ctx)); err != nil {
		return err
	}
	s.claim(r.Ops() == "same=3", "a program that says the same of it changes nothing")
	c.asked(s, "and nothing was asked for")
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
	c.asked(s, "the cluster was asked for once", `POST /clusters {"name":"kennel","size":3}`)
	recorded, err := s.project.Resource("kennel")
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "create=1 same=3" && recorded != nil && recorded.Outputs["state"] == "running",
		"up came back when the cluster was running")
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
	s.claim(r.ExitCode != 0 && strings.Contains(said, "a pet needs a name"), "up failed, and said why in the store's words")
	s.claim(!strings.Contains(r.Stdout+r.Stderr, petstore.Token), "the token is nowhere in what was printed")
	recorded, err := s.project.Resource("nobody")
	s.claim(recorded == nil, "the state has nothing of it")
	c.store.Writes()
	return err
}

func (c counter) destroy(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Destroy(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "delete=4", "three pets and a cluster were deleted")
	s.claim(c.store.Pets() == nil && c.store.Clusters() == nil, "the store has none of them")
	state, err := s.project.Export()
	if err != nil {
		return err
	}
	s.claim(len(state.Resources) == 0, "the state is empty")
	return nil
}
