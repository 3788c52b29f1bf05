package pulumi

import (
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
)

// module is the module of all types of a package.
const module = "index"

// ref returns the resource of a call. Old versions of Pulumi only send the URN, without name and
// type.
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
	typ, ok := s.Program.CurrentName(member)
	if !ok {
		return engine.Ref{}, s.unknown("resource", member, s.Program.ResourceNames())
	}
	return engine.Ref{Type: typ, Name: name, Key: urn}, nil
}

// unknown returns the error for a name that the spec does not have. kind is what it names.
func (s *session) unknown(kind, name string, known []string) error {
	return status.Error(codes.NotFound, strings.TrimSpace(fmt.Sprintf("provider %q has no %s %q. %s",
		s.Program.Metadata().Name, kind, name, diag.Remedy(name, known))))
}

// member returns the name of a token in the spec: Type for `NAME:index:Type`.
func (s *session) member(token string) (string, error) {
	parts := strings.Split(token, ":")
	if len(parts) != 3 || parts[2] == "" {
		return "", status.Errorf(codes.InvalidArgument, "invalid type token %q: expected the form %q", token,
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

// splitURN returns the type and the name in
// `urn:pulumi:stack::project::parent$pkg:mod:Type::name`.
func splitURN(urn string) (typ, name string) {
	parts := strings.SplitN(urn, "::", 4)
	if len(parts) != 4 {
		return "", ""
	}
	typ = parts[2]
	return typ[strings.LastIndexByte(typ, '$')+1:], parts[3]
}
