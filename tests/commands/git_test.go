package commands_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// repository is one on the disk, and a work tree to commit to it.
type repository struct {
	*testing.T
	bare, work string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	dir := t.TempDir()
	r := &repository{T: t, bare: filepath.Join(dir, "store.git"), work: filepath.Join(dir, "work")}
	r.git(dir, "init", "--quiet", "--bare", "--initial-branch=main", r.bare)
	r.git(dir, "clone", "--quiet", r.bare, r.work)
	return r
}

func (r *repository) git(dir string, args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	printed, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, printed)
	}
	return strings.TrimSpace(string(printed))
}

// commit puts a file with that text on a branch, and gives the commit.
func (r *repository) commit(branch, text string) string {
	r.Helper()
	r.git(r.work, "checkout", "--quiet", "-B", branch)
	if err := os.WriteFile(filepath.Join(r.work, "file"), []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
	r.git(r.work, "add", "file")
	r.git(r.work, "commit", "--quiet", "-m", text)
	r.git(r.work, "push", "--quiet", "--force", "origin", branch)
	return r.git(r.work, "rev-parse", "HEAD")
}

func openGit(t *testing.T) (*repository, *pulumitest.Stack) {
	t.Helper()
	r := newRepository(t)
	return r, pulumitest.New(t, pulumitest.Providers{"git": provider.Folder(t, "git", "examples/git.cue")})
}

func (r *repository) program(ref string) string {
	return "resources:\n  it: {type: git:Clone, properties: {url: " + r.bare + ", path: a clone, ref: " + ref + "}}\n"
}

// at asserts what commit the clone is at, by its state and by its file.
func (r *repository) at(s *pulumitest.Stack, commit, text string) {
	r.Helper()
	if got := s.Recorded("it").Outputs["commit"]; got != commit {
		r.Errorf("the state has commit %v, want %s", got, commit)
	}
	got, err := os.ReadFile(filepath.Join(s.Dir, "a clone", "file"))
	if err != nil || string(got) != text {
		r.Errorf("the file holds %q, want %q: %v", got, text, err)
	}
}

func TestALifeOfAClone(t *testing.T) {
	t.Parallel()
	r, s := openGit(t)
	first := r.commit("main", "first")
	second := r.commit("next", "second")
	s.Program(r.program("main"))
	s.Preview("create=1")
	if files := s.Files(); len(files) != 0 {
		t.Errorf("a preview made %v", files)
	}
	s.Up("create=1")
	r.at(s, first, "first")
	s.Up("same=1")
	s.Refresh("same Clone it")

	s.Program(r.program("next"))
	s.Preview("update=1")
	s.Up("update=1")
	r.at(s, second, "second")
	s.Up("same=1")

	// Somebody checks out something else, or changes what is there.
	clone := filepath.Join(s.Dir, "a clone")
	r.git(clone, "checkout", "--quiet", "--detach", first)
	s.Refresh("update Clone it")
	s.Up("update=1")
	r.at(s, second, "second")
	s.Refresh("same Clone it")

	s.Program(strings.Replace(r.program("next"), "a clone", "another", 1))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	if _, err := os.Stat(clone); !os.IsNotExist(err) {
		t.Errorf("the replaced clone is still there: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(s.Dir, "another")); err != nil {
		t.Fatal(err)
	}
	s.Refresh("delete Clone it")
	s.Up("create=1")
	s.Destroy("delete=1")
	if _, err := os.Stat(filepath.Join(s.Dir, "another")); !os.IsNotExist(err) {
		t.Errorf("the clone is still there: %v", err)
	}
}

// TestACloneThatStopsHalfway: what failed in the middle is gone on with.
func TestACloneThatStopsHalfway(t *testing.T) {
	t.Parallel()
	r, s := openGit(t)
	r.commit("main", "first")
	s.Program(r.program("not-there-yet"))
	s.Fails(s.Project.Up(t.Context()))
	if s.Recorded("it").ID != "a clone" {
		t.Error("what was begun is not in the state")
	}
	later := r.commit("not-there-yet", "later")
	s.Up("update=1")
	r.at(s, later, "later")
	s.Up("same=1")
	s.Destroy("delete=1")
}

// TestARefThatLooksLikeAnOption is none.
func TestARefThatLooksLikeAnOption(t *testing.T) {
	t.Parallel()
	r, s := openGit(t)
	r.commit("main", "first")
	s.Program(r.program("--upload-pack=touch owned"))
	s.Fails(s.Project.Up(t.Context()))
	if _, owned := s.Files()["owned"]; owned {
		t.Error("a value became an option")
	}
	s.Program(strings.Replace(r.program("main"), "path: a clone", "path: --bare", 1))
	s.Fails(s.Project.Up(t.Context()))
}

func TestImportOfAClone(t *testing.T) {
	t.Parallel()
	r, s := openGit(t)
	commit := r.commit("main", "first")
	r.git(s.Dir, "clone", "--quiet", r.bare, "a clone")
	s.Import("git:index:Clone", "it", "a clone")
	s.Program(r.program(commit))
	s.Up("same=1")
	r.at(s, commit, "first")
	s.Destroy("delete=1")
}
