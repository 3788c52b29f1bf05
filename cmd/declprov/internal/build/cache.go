package build
import "github.com/declprov/declprov/spec/container"
func (b *Builder) keep(Spec, []byte) {}
func (b *Builder) recall(Spec) *container.Container { return nil }
