package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/declprov/declprov/tests/internal/pulumicli"
)

// chapter is one thing that a provider has to be good at.
type chapter struct {
	title string
	tell  func(ctx context.Context, s *story) error
}

// part is a provider, and what is told of it.
type part struct {
	title string
	// provider is its name, spec where its document is.
	provider, spec string
	// env is added to the provider's environment.
	env      []string
	chapters []chapter
}

func files() part {
	return part{
		title: "PART ONE: files on the disk, by examples/files.cue", provider: "files", spec: "examples/files.cue",
		chapters: fileChapters(),
	}
}

func fileChapters() []chapter {
	return []chapter{
		{"Vet: the spec is checked before anything runs", vet},
		{"Preview: nothing is touched", preview},
		{"Up: the file is made", up},
		{"Up again: nothing to do", again},
		{"A hand edits the file: refresh finds it, up repairs it", repair},
		{"A change in place", update},
		{"A change that replaces", replace},
		{"A create that fails leaves nothing", refuse},
		{"Import: what is there already is taken over", adopt},
		{"Destroy: everything is removed", destroy},
	}
}

// file is one resource of the program.
func file(name, path, content string, more ...string) string {
	text := "  " + name + ":\n    type: files:File\n    properties:\n      path: " + path + "\n      content: " + content + "\n"
	for _, m := range more {
		text += "      " + m + "\n"
	}
	return text
}

func vet(ctx context.Context, s *story) error {
	s.spec("examples/files.cue, its resource without the comments", s.text, "resources: File:")
	code, err := s.declprov(ctx, "vet", "examples/files.cue")
	s.claim(code == 0, "the spec has no mistakes")
	return err
}

func preview(ctx context.Context, s *story) error {
	if err := s.program(file("greeting", "greeting.txt", "Hello")); err != nil {
		return err
	}
	r, err := s.must(s.project.Preview(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "create=1", "one file is to be created")
	s.claim(!s.there("greeting.txt"), "no file was written")
	return nil
}

func up(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "create=1", "one file was created")
	s.show("greeting.txt")
	s.claim(s.holds("greeting.txt", "Hello"), "greeting.txt holds %q", "Hello")
	recorded, err := s.project.Resource("greeting")
	if err != nil {
		return err
	}
	const sum = "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969"
	s.claim(recorded != nil && recorded.Outputs["sha256"] == sum, "its output sha256 is right: %s…", sum[:12])
	return nil
}

func again(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "same=1", "nothing changed")
	return nil
}

func repair(ctx context.Context, s *story) error {
	if err := s.write("greeting.txt", "Defaced"); err != nil {
		return err
	}
	r, err := s.must(s.project.Refresh(ctx))
	if err != nil {
		return err
	}
	s.claim(slices.Equal(r.Outcomes(), []string{"update File greeting"}), "the refresh found the edit")
	s.claim(s.holds("greeting.txt", "Defaced"), "and changed nothing itself")
	if r, err = s.must(s.project.Up(ctx)); err != nil {
		return err
	}
	s.show("greeting.txt")
	s.claim(r.Ops() == "update=1" && s.holds("greeting.txt", "Hello"), "up repaired it: greeting.txt holds %q again", "Hello")
	return nil
}

func update(ctx context.Context, s *story) error {
	if err := s.program(file("greeting", "greeting.txt", "Hello, world", `mode: "0600"`)); err != nil {
		return err
	}
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "update=1", "one update, no replacement")
	info, err := os.Stat(s.path("greeting.txt"))
	if err != nil {
		return err
	}
	s.claim(s.holds("greeting.txt", "Hello, world") && info.Mode().Perm() == 0o600, "greeting.txt has the new content and mode 0600")
	return nil
}

func replace(ctx context.Context, s *story) error {
	s.say("The spec says of path: @replace().")
	if err := s.program(file("greeting", "letters/hello.txt", "Hello, world", `mode: "0600"`)); err != nil {
		return err
	}
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	s.claim(firstOp(r) == "create-replacement", "the new file is made before the old one is removed")
	s.claim(s.holds("letters/hello.txt", "Hello, world"), "letters/hello.txt is there, its folder was made")
	s.claim(!s.there("greeting.txt"), "greeting.txt is gone")
	return nil
}

func firstOp(r *pulumicli.Result) string {
	if steps := r.Steps(); len(steps) > 0 {
		return steps[0].Op
	}
	return ""
}

func refuse(ctx context.Context, s *story) error {
	if err := s.write("precious.txt", "Somebody's work"); err != nil {
		return err
	}
	letter := file("greeting", "letters/hello.txt", "Hello, world", `mode: "0600"`)
	if err := s.program(letter + file("precious", "precious.txt", "Mine")); err != nil {
		return err
	}
	r, err := s.pulumi(s.project.Up(ctx))
	if err != nil {
		return err
	}
	said := strings.Join(r.Errors(), "\n")
	s.claim(r.ExitCode != 0 && strings.Contains(said, "precious.txt") && strings.Contains(said, "exists"), "up failed, and said that precious.txt exists")
	s.claim(s.holds("precious.txt", "Somebody's work"), "the file that was there is as it was")
	recorded, err := s.project.Resource("precious")
	s.claim(recorded == nil, "the state has nothing of it")
	return err
}

func adopt(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Import(ctx, "files:index:File", "precious", "precious.txt"))
	if err != nil {
		return err
	}
	s.claim(slices.Contains(r.Outcomes(), "import File precious"), "the file is Pulumi's now")
	letter := file("greeting", "letters/hello.txt", "Hello, world", `mode: "0600"`)
	if err := s.program(letter + file("precious", "precious.txt", "Somebody's work")); err != nil {
		return err
	}
	if r, err = s.must(s.project.Preview(ctx)); err != nil {
		return err
	}
	s.claim(r.Ops() == "same=2", "a program that says the same of it changes nothing")
	return nil
}

func destroy(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Destroy(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "delete=2", "two files were deleted")
	s.claim(!s.there("letters/hello.txt") && !s.there("precious.txt"), "neither is on the disk")
	state, err := s.project.Export()
	if err != nil {
		return err
	}
	s.claim(len(state.Resources) == 0, "the state is empty")
	return nil
}
