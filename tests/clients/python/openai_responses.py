# packages: openai
"""openai-python, Responses, streamed."""
import os
from openai import OpenAI

client = OpenAI(base_url=os.environ["OCELLI_URL"] + "/v1", api_key="unused")
with client.responses.stream(
        model=os.environ["OCELLI_MODEL_ID"], temperature=0,
        input=[{"role": "user", "content": [
            {"type": "input_image", "image_url": os.environ["OCELLI_PICTURE_URL"], "detail": "auto"},
            {"type": "input_text", "text": "Read the text."}]}]) as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            print(event.delta, end="")
    stream.get_final_response()
print()
