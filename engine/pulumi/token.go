package pulumi

import (
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
)

// module is the one that all of a package's types are in.
const module = "index"

// ref says which resource a call is about. Engines older than the name and type
// fields send only the URN.
func (s *session) ref(urn, name, typ string) (engine.Ref, error) {
	if typ == "" || name == "" {
		ofURN, inURN := splitURN(urn)
		if typ == "" {
			typ = ofURN
		}
		if name == "" {
			name = inURN
		}
	}
	member, err := s.member(typ)
	if err != nil {
		return engine.Ref{}, err
	}
	typ, ok := s.Program.Named(member)
	if !ok {
		return engine.Ref{}, status.Errorf(codes.NotFound, "provider %q has no resource %q. %s",
			s.Program.Metadata().Name, member, diag.Remedy(member, s.Program.ResourceNames()))
	}
	return engine.Ref{Type: typ, Name: name, Key: urn}, nil
}

// member is the name that a token has in the spec: `NAME:index:Type` is Type.
func (s *session) member(token string) (string, error) {
	parts := strings.Split(token, ":")
	if len(parts) != 3 || parts[2] == "" {
		return "", status.Errorf(codes.InvalidArgument, "%q is not a type token; one is %q", token,
			fmt.Sprintf("%s:%s:Type", s.Program.Metadata().Name, module))
	}
	if name := s.Program.Metadata().Name; parts[0] != name {
		return "", status.Errorf(codes.InvalidArgument, "%q is a type of package %q; this provider serves package %q",
			token, parts[0], name)
	}
	if parts[1] != module {
		return "", status.Errorf(codes.NotFound, "provider %q has no module %q: all its types are in %q",
			parts[0], parts[1], module)
	}
	return parts[2], nil
}

// splitURN takes type and name out of
// `urn:pulumi:stack::project::parent$pkg:mod:Type::name`.
func splitURN(urn string) (typ, name string) {
	parts := strings.SplitN(urn, "::", 4)
	if len(parts) != 4 {
		return "", ""
	}
	typ = parts[2]
	return typ[strings.LastIndexByte(typ, '$')+1:], parts[3]
}
