package wire

import (
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/reserved"
)

// Decode decodes the properties in a message. It keeps nulls, decodes unknown values
// as Computed, and marks secrets and dependencies on their values. Keys that begin
// with two underscores are ordinary keys. A nil struct is an empty map.
//
// The error is an *Error for the first malformed property, in the order of names.
func Decode(s *structpb.Struct) (property.Map, error) {
	var d decoder
	return d.object(s.GetFields(), 0)
}

// Decoder is like Decode, for many messages. It reuses the maps and lists that the
// property package copies, which are half of the memory allocated for decoding. The
// zero value is ready to use. It is safe for concurrent use.
type Decoder struct{ idle sync.Pool }

// Decode decodes the properties in a message.
func (d *Decoder) Decode(s *structpb.Struct) (property.Map, error) {
	one, ok := d.idle.Get().(*decoder)
	if !ok {
		one = &decoder{}
	}
	m, err := one.object(s.GetFields(), 0)
	if err == nil { // after an error it is not empty
		d.idle.Put(one)
	}
	return m, err
}

// DecodeValue decodes one value.
func DecodeValue(v *structpb.Value) (property.Value, error) {
	var d decoder
	return d.value(v, 0)
}

// decoder contains the reusable memory of one decoding. The property package copies
// each map and list, so they can be reused immediately.
type decoder struct {
	maps  []map[string]property.Value // by depth
	items []property.Value            // a stack of unfinished lists
}

// largestScratch is the maximum size of a map that is reused. Clearing a larger map
// would cost more than allocating one.
const largestScratch = 32

func (d *decoder) object(fields map[string]*structpb.Value, depth int) (property.Map, error) {
	if len(fields) == 0 {
		return property.Map{}, nil
	}
	if depth >= MaxDepth {
		return property.Map{}, refuse("nested deeper than %d levels", MaxDepth)
	}
	m := d.scratch(depth, len(fields))
	for k, f := range fields {
		v, err := d.value(f, depth+1)
		if err != nil {
			return property.Map{}, d.firstError(fields, depth)
		}
		m[k] = v
	}
	made := property.NewMap(m)
	clear(m)
	return made, nil
}

// scratch returns an empty map for an object at a depth.
func (d *decoder) scratch(depth, size int) map[string]property.Value {
	if size > largestScratch {
		return make(map[string]property.Value, size)
	}
	for len(d.maps) <= depth {
		d.maps = append(d.maps, nil)
	}
	if d.maps[depth] == nil {
		d.maps[depth] = make(map[string]property.Value, size)
	}
	return d.maps[depth]
}

// firstError returns the first error in the order of names, so that a message always
// gives the same error.
func (d *decoder) firstError(fields map[string]*structpb.Value, depth int) error {
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if _, err := d.value(fields[k], depth+1); err != nil {
			return under(k, err)
		}
	}
	return nil
}

func (d *decoder) value(v *structpb.Value, depth int) (property.Value, error) {
	switch kind := v.GetKind().(type) {
	case *structpb.Value_NullValue:
		return property.Value{}, nil
	case *structpb.Value_BoolValue:
		return property.New(kind.BoolValue), nil
	case *structpb.Value_NumberValue:
		if math.IsNaN(kind.NumberValue) || math.IsInf(kind.NumberValue, 0) {
			return property.Value{}, refuse("the number %v cannot be stored", kind.NumberValue)
		}
		return property.New(kind.NumberValue), nil
	case *structpb.Value_StringValue:
		if reserved.Text(kind.StringValue) {
			return property.New(property.Computed), nil
		}
		return property.New(kind.StringValue), nil
	case *structpb.Value_ListValue:
		return d.list(kind.ListValue.GetValues(), depth)
	case *structpb.Value_StructValue:
		fields := kind.StructValue.GetFields()
		if signature, ok := fields[sig.Key]; ok {
			return d.signed(signature, fields, depth)
		}
		m, err := d.object(fields, depth)
		return property.New(m), err
	default:
		return property.Value{}, refuse("the message contains no value")
	}
}

func (d *decoder) list(values []*structpb.Value, depth int) (property.Value, error) {
	if depth >= MaxDepth {
		return property.Value{}, refuse("nested deeper than %d levels", MaxDepth)
	}
	start := len(d.items)
	for i, item := range values {
		v, err := d.value(item, depth+1)
		if err != nil {
			return property.Value{}, underIndex(i, err)
		}
		d.items = append(d.items, v)
	}
	made := property.New(property.NewArray(d.items[start:]))
	clear(d.items[start:])
	d.items = d.items[:start]
	return made, nil
}
