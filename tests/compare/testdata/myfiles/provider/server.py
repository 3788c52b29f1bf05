import os
import sys
import grpc
from concurrent import futures
from google.protobuf import struct_pb2, empty_pb2

from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc


class MyFilesProvider(provider_pb2_grpc.ResourceProviderServicer):
    """A Pulumi provider for managing local files."""

    def __init__(self, schema_path: str):
        with open(schema_path, 'r') as f:
            self._schema = f.read()
        self._configured = False

    # -------------------------------------------------------------------------
    # Plugin info and configuration
    # -------------------------------------------------------------------------

    def GetPluginInfo(self, request, context):
        """Return plugin metadata."""
        return plugin_pb2.PluginInfo(version="0.1.0")

    def GetSchema(self, request, context):
        """Return the provider schema."""
        return provider_pb2.GetSchemaResponse(schema=self._schema)

    def Configure(self, request, context):
        """Initialize the provider with configuration."""
        # Store any configuration values here
        # For this simple provider, we don't need any configuration
        self._configured = True
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True,
            supportsPreview=True,
            acceptResources=False,
            acceptOutputs=False,
        )

    def CheckConfig(self, request, context):
        """Validate provider configuration."""
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request, context):
        """Diff provider configuration."""
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    # -------------------------------------------------------------------------
    # Resource operations
    # -------------------------------------------------------------------------

    def Check(self, request, context):
        """Validate resource inputs and set defaults."""
        inputs = self._struct_to_dict(request.news)

        # Validate required fields
        failures = []
        if 'path' not in inputs:
            failures.append(provider_pb2.CheckFailure(
                property='path',
                reason='path is required'
            ))
        if 'content' not in inputs:
            failures.append(provider_pb2.CheckFailure(
                property='content',
                reason='content is required'
            ))

        # Set defaults
        if 'force' not in inputs:
            inputs['force'] = False

        return provider_pb2.CheckResponse(
            inputs=self._dict_to_struct(inputs),
            failures=failures,
        )

    def Diff(self, request, context):
        """Compute differences between current and desired state."""
        olds = self._struct_to_dict(request.olds)
        news = self._struct_to_dict(request.news)

        diffs = []
        detailed_diff = {}
        replaces = []

        # Check each property for changes
        if olds.get('content') != news.get('content'):
            diffs.append('content')
            detailed_diff['content'] = provider_pb2.PropertyDiff(
                kind=provider_pb2.PropertyDiff.UPDATE
            )

        if olds.get('force') != news.get('force'):
            diffs.append('force')
            detailed_diff['force'] = provider_pb2.PropertyDiff(
                kind=provider_pb2.PropertyDiff.UPDATE
            )

        if olds.get('path') != news.get('path'):
            diffs.append('path')
            replaces.append('path')
            detailed_diff['path'] = provider_pb2.PropertyDiff(
                kind=provider_pb2.PropertyDiff.UPDATE_REPLACE
            )

        has_changes = provider_pb2.DiffResponse.DIFF_SOME if diffs else provider_pb2.DiffResponse.DIFF_NONE

        return provider_pb2.DiffResponse(
            changes=has_changes,
            diffs=diffs,
            replaces=replaces,
            detailedDiff=detailed_diff,
            hasDetailedDiff=True,
            deleteBeforeReplace=True,
        )

    def Create(self, request, context):
        """Create a new file resource."""
        inputs = self._struct_to_dict(request.properties)
        path = inputs['path']
        content = inputs['content']
        force = inputs.get('force', False)

        # During preview, don't actually create the file
        if request.preview:
            return provider_pb2.CreateResponse(
                id=path,
                properties=self._dict_to_struct(inputs),
            )

        # Check if file exists
        if os.path.exists(path) and not force:
            context.abort(
                grpc.StatusCode.ALREADY_EXISTS,
                f"File already exists at {path}. Set force=true to overwrite."
            )

        # Create parent directories if needed
        parent_dir = os.path.dirname(path)
        if parent_dir:
            os.makedirs(parent_dir, exist_ok=True)

        # Write the file
        with open(path, 'w') as f:
            f.write(content)

        return provider_pb2.CreateResponse(
            id=path,
            properties=self._dict_to_struct(inputs),
        )

    def Read(self, request, context):
        """Read the current state of a file resource."""
        path = request.id

        if not os.path.exists(path):
            # Resource no longer exists
            return provider_pb2.ReadResponse(
                id='',
                properties=struct_pb2.Struct(),
                inputs=struct_pb2.Struct(),
            )

        with open(path, 'r') as f:
            content = f.read()

        state = {
            'path': path,
            'content': content,
            'force': self._struct_to_dict(request.inputs).get('force', False),
        }

        return provider_pb2.ReadResponse(
            id=path,
            properties=self._dict_to_struct(state),
            inputs=self._dict_to_struct(state),
        )

    def Update(self, request, context):
        """Update an existing file resource."""
        inputs = self._struct_to_dict(request.news)
        path = inputs['path']
        content = inputs['content']

        # During preview, don't actually update the file
        if request.preview:
            return provider_pb2.UpdateResponse(
                properties=self._dict_to_struct(inputs),
            )

        # Write the updated content
        with open(path, 'w') as f:
            f.write(content)

        return provider_pb2.UpdateResponse(
            properties=self._dict_to_struct(inputs),
        )

    def Delete(self, request, context):
        """Delete a file resource."""
        path = request.id

        if os.path.exists(path):
            os.remove(path)

        return empty_pb2.Empty()

    # -------------------------------------------------------------------------
    # Optional methods (minimal implementations)
    # -------------------------------------------------------------------------

    def Invoke(self, request, context):
        """Handle function invocations."""
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "Invoke not implemented")

    def Call(self, request, context):
        """Handle method calls on component resources."""
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "Call not implemented")

    def Construct(self, request, context):
        """Construct component resources."""
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "Construct not implemented")

    def Cancel(self, request, context):
        """Handle cancellation requests."""
        return empty_pb2.Empty()

    def Attach(self, request, context):
        """Attach to a running provider."""
        return empty_pb2.Empty()

    def GetMapping(self, request, context):
        """Get provider mappings."""
        return provider_pb2.GetMappingResponse()

    def GetMappings(self, request, context):
        """Get all provider mappings."""
        return provider_pb2.GetMappingsResponse()

    # -------------------------------------------------------------------------
    # Utility methods
    # -------------------------------------------------------------------------

    def _struct_to_dict(self, struct):
        """Convert a protobuf Struct to a Python dict."""
        from google.protobuf.json_format import MessageToDict
        return MessageToDict(struct)

    def _dict_to_struct(self, d):
        """Convert a Python dict to a protobuf Struct."""
        struct = struct_pb2.Struct()
        struct.update(d)
        return struct


def serve(schema_path: str):
    """Start the gRPC server."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=10))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(
        MyFilesProvider(schema_path), server
    )
    # Use port 0 to let the OS assign an available port
    port = server.add_insecure_port('127.0.0.1:0')
    server.start()
    # Write the port to stdout as bytes - Pulumi reads this to connect
    sys.stdout.buffer.write(f'{port}\n'.encode())
    sys.stdout.buffer.flush()
    server.wait_for_termination()
