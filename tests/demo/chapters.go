package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/declprov/declprov/tests/internal/pulumicli"
)

// chapter demonstrates one capability of a provider.
type chapter struct {
	title string
	tell  func(ctx context.Context, s *story) error
}

// part demonstrates one provider.
type part struct {
	title string
	// provider is the name of the provider, spec the path of its spec.
	provider, spec string
	// env is added to the provider's environment.
	env      []string
	chapters []chapter
}

func files() part {
	return part{
		title: "PART ONE: files on the disk, with examples/files.cue", provider: "files", spec: "examples/files.cue",
		chapters: fileChapters(),
	}
}

func fileChapters() []chapter {
	return []chapter{
		{"Vet: the spec is checked before anything runs", vet},
		{"Preview: nothing is changed", preview},
		{"Up: the file is created", up},
		{"Up again: nothing to do", again},
		{"A manual edit: refresh finds it, up repairs it", repair},
		{"An update", update},
		{"A replacement", replace},
		{"A failed create leaves nothing", refuse},
		{"Import of an existing file", adopt},
		{"Destroy: all files are deleted", destroy},
	}
}

// file returns one resource of the program.
func file(name, path, content string, more ...string) string {
	text := "  " + name + ":\n    type: files:File\n    properties:\n      path: " + path + "\n      content: " + content + "\n"
	for _, m := range more {
		text += "      " + m + "\n"
	}
	return text
}

func vet(ctx context.Context, s *story) error {
	s.spec("the resource in examples/files.cue, without comments", s.text, "resources: File:")
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
	s.claim(r.Ops() == "create=1", "the preview shows that one file will be created")
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
	s.claim(s.holds("greeting.txt", "Hello"), "the content of greeting.txt is %q", "Hello")
	recorded, err := s.project.Resource("greeting")
	if err != nil {
		return err
	}
	const sum = "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969"
	s.claim(recorded != nil && recorded.Outputs["sha256"] == sum, "the output sha256 is correct: %s…", sum[:12])
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
	s.claim(s.holds("greeting.txt", "Defaced"), "the refresh did not change the file")
	if r, err = s.must(s.project.Up(ctx)); err != nil {
		return err
	}
	s.show("greeting.txt")
	s.claim(r.Ops() == "update=1" && s.holds("greeting.txt", "Hello"), "up repaired the file: its content is %q again", "Hello")
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
	s.claim(r.Ops() == "update=1", "the file was updated, not replaced")
	info, err := os.Stat(s.path("greeting.txt"))
	if err != nil {
		return err
	}
	s.claim(s.holds("greeting.txt", "Hello, world") && info.Mode().Perm() == 0o600, "greeting.txt has the new content and mode 0600")
	return nil
}

func replace(ctx context.Context, s *story) error {
	s.say("In the spec, the input path has the attribute @replace().")
	if err := s.program(file("greeting", "letters/hello.txt", "Hello, world", `mode: "0600"`)); err != nil {
		return err
	}
	r, err := s.must(s.project.Up(ctx))
	if err != nil {
		return err
	}
	s.claim(firstOp(r) == "create-replacement", "the new file was created before the old one was deleted")
	s.claim(s.holds("letters/hello.txt", "Hello, world"), "letters/hello.txt and its folder exist")
	s.claim(!s.there("greeting.txt"), "greeting.txt no longer exists")
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
	s.claim(r.ExitCode != 0 && strings.Contains(said, "precious.txt") && strings.Contains(said, "exists"), "up failed with the message that precious.txt exists")
	s.claim(s.holds("precious.txt", "Somebody's work"), "the existing file is unchanged")
	recorded, err := s.project.Resource("precious")
	s.claim(recorded == nil, "the state does not contain it")
	return err
}

func adopt(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Import(ctx, "files:index:File", "precious", "precious.txt"))
	if err != nil {
		return err
	}
	s.claim(slices.Contains(r.Outcomes(), "import File precious"), "Pulumi manages the file")
	letter := file("greeting", "letters/hello.txt", "Hello, world", `mode: "0600"`)
	if err := s.program(letter + file("precious", "precious.txt", "Somebody's work")); err != nil {
		return err
	}
	if r, err = s.must(s.project.Preview(ctx)); err != nil {
		return err
	}
	s.claim(r.Ops() == "same=2", "a program with the same content changes nothing")
	return nil
}

func destroy(ctx context.Context, s *story) error {
	r, err := s.must(s.project.Destroy(ctx))
	if err != nil {
		return err
	}
	s.claim(r.Ops() == "delete=2", "two files were deleted")
	s.claim(!s.there("letters/hello.txt") && !s.there("precious.txt"), "neither file exists")
	state, err := s.project.Export()
	if err != nil {
		return err
	}
	s.claim(len(state.Resources) == 0, "the state is empty")
	return nil
}
