package operation

import "github.com/declprov/declprov/engine/value"

// PrecheckID returns an error if the inputs lead to an id that is not valid. It is called before
// anything is sent: once the object is made, nothing could name it.
func PrecheckID(r *Run) error {
	if r.Resource.ID == nil {
		return nil
	}
	inputs, _ := r.Vars.Values["inputs"].(map[string]any)
	for _, name := range r.Resource.IDInputs {
		if text, ok := inputs[name].(string); ok {
			if err := value.CheckID(text, "the id of "+r.Resource.Spec.Name); err != nil {
				return err
			}
		}
	}
	if !r.Resource.IDMixes {
		return nil
	}
	defer r.HideResponses()()
	if _, err := r.EvalID(); value.IsUnrecordable(err) {
		return err
	}
	return nil // what else is wrong with it, its step says
}
