package functions

import (
	"path"
	"strings"

	"github.com/blang/semver"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// pathFunctions work on paths, with forward slashes on every system, and on
// versions.
func pathFunctions() []*Function {
	return []*Function{
		def(eval.OfText, "basename(path: string) string", "What is behind the last slash.", `basename("a/b.txt")`, `"b.txt"`, pathOf(path.Base)),
		def(eval.OfTextTimes(2), "dirname(path: string) string", "What is before the last slash; \".\" where there is none.", `dirname("a/b.txt")`, `"a"`, pathOf(path.Dir)),
		def(eval.OfTextTimes(2), "joinpath(part...: string) string", "The parts with slashes between them, and without . and .. in it.", `joinpath("a", "../b", "c")`, `"b/c"`, fnJoinPath),
		def(eval.OfText, "semver(a: string, op: string, b: string) bool", `Compares two versions: op is <, <=, =, ==, !=, >=, >, or "in" for a range such as ">=1.2.0 <2.0.0".`, `semver("1.10.0", ">", "v1.9.1")`, `true`, fnSemver).withType(typeOfSemver),
	}
}

func pathOf(f func(string) string) operation {
	return func(r *eval.Run, a args) (any, error) {
		s := a.text(0)
		return f(s), r.Read(s)
	}
}

func fnJoinPath(r *eval.Run, a args) (any, error) {
	parts := make([]string, len(a))
	size := 0
	for i := range a {
		parts[i] = a.text(i)
		size += len(parts[i]) + 1
	}
	if err := r.Grow(size); err != nil {
		return nil, err
	}
	return path.Join(parts...), nil
}

// holds reports whether the order of two versions is as an operator says, and whether it
// knows the operator.
func holds(op string, order int) (ok, known bool) {
	switch op {
	case "<":
		return order < 0, true
	case "<=":
		return order <= 0, true
	case "=", "==":
		return order == 0, true
	case "!=":
		return order != 0, true
	case ">=":
		return order >= 0, true
	case ">":
		return order > 0, true
	default:
		return false, false
	}
}

// version reads a version, with the leniency that people write them with: v1,
// 1.2.
func version(s string) (semver.Version, error) {
	v, err := semver.ParseTolerant(s)
	if err != nil {
		return v, eval.Faultf("%s is no version: %s", eval.Quote(s), eval.Quoted(parse.LowerFirst(strings.ReplaceAll(err.Error(), "\n", " "))))
	}
	return v, nil
}

// maxVersion is the most bytes of a version, or of a range of versions.
const maxVersion = 1 << 10

func fnSemver(_ *eval.Run, a args) (any, error) {
	texts := [...]string{a.text(0), a.text(1), a.text(2)}
	for _, s := range texts {
		if len(s) > maxVersion {
			return nil, eval.Faultf("semver: a version or range may have %d bytes, and this has %d", maxVersion, len(s))
		}
	}
	v, err := version(texts[0])
	if err != nil {
		return nil, err
	}
	if texts[1] == "in" {
		in, err := semver.ParseRange(texts[2])
		if err != nil {
			return nil, eval.Faultf("%s is no range of versions: %s", eval.Quote(texts[2]), eval.Quoted(parse.LowerFirst(err.Error())))
		}
		return in(v), nil
	}
	w, err := version(texts[2])
	if err != nil {
		return nil, err
	}
	ok, known := holds(texts[1], v.Compare(w))
	if !known {
		return nil, eval.Faultf("semver compares with <, <=, =, ==, !=, >=, > or in, not %s", eval.Quote(texts[1]))
	}
	return ok, nil
}

func typeOfSemver(cl *check.Call) check.Typed {
	for _, lit := range types.Literals(types.Resolve(cl.Args[1].T, cl.Types)) {
		op, _ := lit.(string)
		if _, known := holds(op, 0); !known && op != "in" {
			cl.Fail(check.CodeWrongArgument, cl.Args[1].At, "", "semver compares with <, <=, =, ==, !=, >=, > or in, not %s", types.DescribeValue(lit))
		}
	}
	return check.Typed{T: types.Bool()}
}
