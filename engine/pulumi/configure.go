package pulumi

import (
	"context"
	"errors"
	"fmt"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/monitor"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/screen"
)

// Configure creates the engine for later calls. Calls under way keep theirs. Pulumi
// does not call Configure while a setting is unknown.
func (s *Server) Configure(
	ctx context.Context, req *pulumirpc.ConfigureRequest,
) (*pulumirpc.ConfigureResponse, error) {
	session, err := s.sessions.current(ctx)
	if err != nil {
		return nil, err
	}
	args := req.GetArgs()
	if args == nil {
		//lint:ignore SA1019 versions of Pulumi without args send nothing else
		args = legacyConfig(req.GetVariables())
	}
	settings, _, err := readConfig(session.Program, args)
	if err != nil {
		return nil, failure(err)
	}
	// Recorded settings may have been checked by an older version of the spec with
	// other defaults, and a destroy does not check them again.
	checked := session.Program.CheckConfig(ctx, settings)
	if len(checked.Failures) == 0 {
		settings = checked.Inputs
	}
	s.calls.renew(ctx)
	ctx, end := s.calls.begin(ctx, 0)
	defer end()
	made, err := session.Program.Configure(ctx, settings, engine.Options{Dir: s.options.Dir, Journal: s.options.Journal})
	if err != nil {
		return nil, configureFailure(session.Program, err)
	}
	if len(checked.Failures) > 0 {
		return nil, status.Error(codes.InvalidArgument, "invalid configuration of the provider: "+sentence(checked.Failures))
	}
	log := s.hosts.log(req.GetUrn())
	defer log.done()
	s.notices.grace(log, s.graceFault)
	s.notices.configured(log, req.GetUrn(), made)
	s.openers.add(made)
	var provider string
	if req.GetUrn() != "" {
		provider = monitor.Reference(req.GetUrn(), req.GetId())
	}
	s.sessions.set(ctx, session.configured(made, provider))
	return &pulumirpc.ConfigureResponse{
		AcceptSecrets:                   true,
		SupportsPreview:                 true,
		AcceptResources:                 true,
		AcceptOutputs:                   true,
		SupportsAutonamingConfiguration: true,
	}, nil
}

// legacyConfig returns the arguments for the variables that old versions of Pulumi send:
// `NAME:config:key`, each with a text.
func legacyConfig(variables map[string]string) *structpb.Struct {
	fields := make(map[string]*structpb.Value, len(variables))
	for k, v := range variables {
		fields[k[strings.LastIndexByte(k, ':')+1:]] = wire.String(v)
	}
	return &structpb.Struct{Fields: fields}
}

// configureFailure returns an error that names missing settings by their keys in
// Pulumi's configuration, so that the CLI can show how to set them.
func configureFailure(program *engine.Program, err error) error {
	var missing *engine.MissingKeys
	if !errors.As(err, &missing) {
		return failure(err)
	}
	detail := &pulumirpc.ConfigureErrorMissingKeys{}
	declared, _ := program.Config()
	for _, key := range missing.Keys {
		doc := key.Doc
		if setting := declared.Field(key.Name); setting != nil {
			text := remedy(program, setting)
			doc = strings.TrimSpace(doc + "\n" + text)
			err = fmt.Errorf("%w\n%s", err, text)
		}
		detail.MissingKeys = append(detail.MissingKeys, &pulumirpc.ConfigureErrorMissingKeys_MissingKey{
			Name: screen.Exact(configKey(program, key.Name)), Description: screen.Show(doc, nil).String(),
		})
	}
	s, detailErr := status.New(codes.InvalidArgument, message(err)).WithDetails(detail)
	if detailErr != nil {
		return failure(err)
	}
	return s.Err()
}

// sentence returns failures in one line.
func sentence(found []engine.Failure) string {
	parts := make([]string, 0, len(found))
	for _, f := range found {
		if f.Path == "" {
			parts = append(parts, f.Reason)
			continue
		}
		parts = append(parts, f.Path+": "+f.Reason)
	}
	return strings.Join(parts, "; ")
}
