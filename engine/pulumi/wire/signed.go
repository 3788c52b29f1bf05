package wire

import (
	"encoding/base64"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/types/known/structpb"
)

// signed decodes an object with a signature.
func (d *decoder) signed(signature *structpb.Value, fields map[string]*structpb.Value, depth int) (property.Value, error) {
	if depth >= MaxDepth {
		return property.Value{}, refuse("nested deeper than %d levels", MaxDepth)
	}
	if signature.GetStringValue() == sig.Secret {
		return d.secret(fields, depth)
	}
	parts := make(map[string]property.Value, len(fields))
	for k, f := range fields {
		v, err := d.value(f, depth+1)
		if err != nil {
			return property.Value{}, d.firstError(fields, depth)
		}
		parts[k] = v
	}
	name, _ := text(parts[sig.Key])
	switch name {
	case sig.Secret:
		return d.secret(fields, depth)
	case sig.AssetSig:
		return readAsset(parts)
	case sig.ArchiveSig:
		return readArchive(parts)
	case sig.ResourceReference:
		return readReference(parts)
	case sig.OutputValue:
		return readOutput(parts)
	case sig.ByteString:
		return readBytes(parts)
	default:
		return property.Value{}, refuse("unknown signature %q", name)
	}
}

func (d *decoder) secret(fields map[string]*structpb.Value, depth int) (property.Value, error) {
	inner, ok := fields["value"]
	if !ok {
		return property.Value{}, refuse("a secret without a value")
	}
	v, err := d.value(inner, depth+1)
	return v.WithSecret(true), err
}

// text returns the string of a value that is neither secret nor dependent on
// resources.
func text(v property.Value) (string, bool) {
	if !v.IsString() || v.Secret() || len(v.Dependencies()) > 0 {
		return "", false
	}
	return v.AsString(), true
}

// textPart returns an optional string of an object.
func textPart(parts map[string]property.Value, what, key string) (string, error) {
	v, ok := parts[key]
	if !ok {
		return "", nil
	}
	s, ok := text(v)
	if !ok {
		return "", refuse("%s with a %s that is not a string", what, key)
	}
	return s, nil
}

// textParts returns several optional strings of an object.
func textParts(parts map[string]property.Value, what string, keys ...string) (map[string]string, error) {
	texts := make(map[string]string, len(keys))
	for _, key := range keys {
		s, err := textPart(parts, what, key)
		if err != nil {
			return nil, err
		}
		texts[key] = s
	}
	return texts, nil
}

func readAsset(parts map[string]property.Value) (property.Value, error) {
	t, err := textParts(parts, "an asset", asset.AssetHashProperty, asset.AssetTextProperty,
		asset.AssetPathProperty, asset.AssetURIProperty)
	if err != nil {
		return property.Value{}, err
	}
	return property.New(&asset.Asset{
		Sig:  sig.AssetSig,
		Hash: t[asset.AssetHashProperty],
		Text: t[asset.AssetTextProperty],
		Path: t[asset.AssetPathProperty],
		URI:  t[asset.AssetURIProperty],
	}), nil
}

// readArchive decodes an archive like the SDK: a path takes precedence over a URI,
// and a URI over members. An archive without any of them is empty, for example if the
// engine omitted its content.
func readArchive(parts map[string]property.Value) (property.Value, error) {
	hash, err := textPart(parts, "an archive", archive.ArchiveHashProperty)
	if err != nil {
		return property.Value{}, err
	}
	made := &archive.Archive{Sig: sig.ArchiveSig, Hash: hash}
	if made.Path, err = textPart(parts, "an archive", archive.ArchivePathProperty); err != nil {
		return property.Value{}, err
	}
	if made.Path == "" {
		if made.URI, err = textPart(parts, "an archive", archive.ArchiveURIProperty); err != nil {
			return property.Value{}, err
		}
	}
	if made.Path == "" && made.URI == "" {
		if made.Assets, err = readMembers(parts[archive.ArchiveAssetsProperty]); err != nil {
			return property.Value{}, err
		}
	}
	return property.New(made), nil
}

func readMembers(v property.Value) (map[string]any, error) {
	members := map[string]any{}
	if v.IsNull() {
		return members, nil
	}
	if !v.IsMap() {
		return nil, refuse("an archive with members that are not an object")
	}
	for name, member := range v.AsMap().AllStable {
		switch {
		case member.IsAsset():
			members[name] = member.AsAsset()
		case member.IsArchive():
			members[name] = member.AsArchive()
		default:
			return nil, refuse("an archive with a member %q that is neither an asset nor an archive", name)
		}
	}
	return members, nil
}

func readReference(parts map[string]property.Value) (property.Value, error) {
	const what = "a resource reference"
	address, ok := text(parts["urn"])
	if !ok {
		return property.Value{}, refuse("%s without a URN", what)
	}
	t, err := textParts(parts, what, "name", "type", "packageVersion")
	if err != nil {
		return property.Value{}, err
	}
	ref := property.ResourceReference{
		URN: urn.URN(address), Name: t["name"], Type: t["type"], PackageVersion: t["packageVersion"],
	}
	if ref.URN.IsValid() {
		if ref.Name == "" {
			ref.Name = ref.URN.Name()
		}
		if ref.Type == "" {
			ref.Type = string(ref.URN.Type())
		}
	}
	id, hasID := parts["id"]
	switch {
	case !hasID:
	case id.IsComputed(), id.IsString() && id.AsString() == "":
		ref.ID = property.New(property.Computed)
	case id.IsString():
		ref.ID = property.New(id.AsString())
	default:
		return property.Value{}, refuse("%s with an id that is not a string", what)
	}
	return property.New(ref), nil
}

// readOutput decodes an output value. An unknown output has no value.
func readOutput(parts map[string]property.Value) (property.Value, error) {
	v, known := parts["value"]
	if !known {
		v = property.New(property.Computed)
	}
	if flag, ok := parts["secret"]; ok {
		if !flag.IsBool() {
			return property.Value{}, refuse("an output with a secret flag that is not a boolean")
		}
		v = v.WithSecret(v.Secret() || flag.AsBool())
	}
	var on []urn.URN
	if list, ok := parts["dependencies"]; ok {
		if !list.IsArray() {
			return property.Value{}, refuse("an output with dependencies that are not a list")
		}
		for _, item := range list.AsArray().All {
			address, ok := text(item)
			if !ok {
				return property.Value{}, refuse("an output with a dependency that is not a URN")
			}
			on = append(on, urn.URN(address))
		}
	}
	return v.WithDependencies(on), nil
}

// readBytes decodes a string that is not UTF-8, which protobuf cannot represent
// directly.
func readBytes(parts map[string]property.Value) (property.Value, error) {
	encoded, ok := text(parts["value"])
	if !ok {
		return property.Value{}, refuse("a string of bytes without a value")
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return property.Value{}, refuse("a string of bytes that is not valid base64")
	}
	return property.New(string(raw)), nil
}
