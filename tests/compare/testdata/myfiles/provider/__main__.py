import sys
import os

# Add the parent directory to the path so we can import the provider
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from provider.server import serve

if __name__ == '__main__':
    # Find the schema.json file
    provider_dir = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    schema_path = os.path.join(provider_dir, 'schema.json')

    serve(schema_path)
