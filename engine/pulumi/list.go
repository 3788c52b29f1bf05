package pulumi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/screen"
)

// List streams the existing resources of a type, in pages if Pulumi's engine requests
// them. The provider keeps no state between pages: the continuation token contains
// the number of results that were sent, which the next page skips.
func (s *Server) List(
	req *pulumirpc.ListRequest, stream grpc.ServerStreamingServer[pulumirpc.ListResponse],
) error {
	session, err := s.sessions.ready(stream.Context())
	if err != nil {
		return err
	}
	ref, err := session.ref("", "", req.GetToken())
	if err != nil {
		return err
	}
	if !session.Program.CanList(ref.Type) {
		return status.Errorf(codes.Unimplemented, "resource %q cannot be listed: its spec has no `list`", ref.Type)
	}
	query, err := wire.Decode(req.GetQuery())
	if err != nil {
		return failure(err)
	}
	for _, v := range query.All {
		if v.HasComputed() {
			return stream.Send(&pulumirpc.ListResponse{
				Response: &pulumirpc.ListResponse_Computed_{Computed: &pulumirpc.ListResponse_Computed{}},
			})
		}
	}
	p, err := newPage(req)
	if err != nil {
		return err
	}
	ctx, log, end := s.begin(stream.Context(), "", 0)
	defer end()
	return p.send(ctx, session.engine, engine.ListRequest{Ref: ref, Query: query, Log: log}, stream)
}

// page is a range of results of a listing: from from up to, but not including, to. to
// is 0 if there is no limit. more is true if the listing may continue after the page.
type page struct {
	from, to int
	more     bool
	mark     [markLength]byte
}

// markLength is the number of bytes of the request's hash in a continuation token, so
// that a token cannot be used with another request.
const markLength = 8

func newPage(req *pulumirpc.ListRequest) (page, error) {
	p := page{mark: mark(req)}
	if token := req.GetContinuationToken(); token != "" {
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil || len(raw) != 8+markLength || [markLength]byte(raw[8:]) != p.mark {
			return page{}, status.Errorf(codes.InvalidArgument,
				"%q is not a continuation token of this listing: token, query and limit must be those of the first page", token)
		}
		p.from = count(int64(binary.BigEndian.Uint64(raw)))
	}
	p.to = count(req.GetLimit())
	if size := count(req.GetPageSize()); size > 0 && (p.to == 0 || p.from+size < p.to) {
		p.to, p.more = p.from+size, true
	}
	return p, nil
}

// count converts a number of results in a request. Numbers below 1 become 0.
func count(n int64) int { return int(min(max(n, 0), math.MaxInt32)) }

// mark returns a hash that identifies a listing.
func mark(req *pulumirpc.ListRequest) [markLength]byte {
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(&pulumirpc.ListRequest{
		Token: req.GetToken(), Query: req.GetQuery(), Limit: req.GetLimit(),
	})
	if err != nil {
		return [markLength]byte{} // cannot happen: the request was just unmarshalled
	}
	sum := sha256.Sum256(raw)
	return [markLength]byte(sum[:])
}

// continuation returns the token of the page after p.
func (p page) continuation() string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(p.to))
	return base64.RawURLEncoding.EncodeToString(append(raw, p.mark[:]...))
}

// send streams the page. It requests one result more, to find out whether there is
// another page.
func (p page) send(
	ctx context.Context, from *engine.Engine, req engine.ListRequest,
	stream grpc.ServerStreamingServer[pulumirpc.ListResponse],
) error {
	req.Limit = p.to
	if p.more {
		req.Limit++
	}
	n := 0
	for found, err := range from.List(ctx, req) {
		if err != nil {
			return operationFailure(ctx, err)
		}
		if p.to > 0 && n == p.to {
			if !p.more {
				return nil
			}
			return stream.Send(&pulumirpc.ListResponse{Response: &pulumirpc.ListResponse_Continuation_{
				Continuation: &pulumirpc.ListResponse_Continuation{ContinuationToken: p.continuation()},
			}})
		}
		if n++; n <= p.from {
			continue
		}
		if err := stream.Send(&pulumirpc.ListResponse{Response: &pulumirpc.ListResponse_Result_{
			Result: &pulumirpc.ListResponse_Result{Id: valid(found.ID), Name: screen.Exact(found.Name)},
		}}); err != nil {
			return err
		}
	}
	return nil
}
