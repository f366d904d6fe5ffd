# packages: haystack-ai
"""Haystack."""
import os
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, ImageContent
from haystack.utils import Secret

generator = OpenAIChatGenerator(
    api_base_url=os.environ["OCELLI_URL"] + "/v1", api_key=Secret.from_token("unused"),
    model=os.environ["OCELLI_MODEL_ID"], generation_kwargs={"temperature": 0})
picture = ImageContent(base64_image=os.environ["OCELLI_PICTURE_URL"].split(",", 1)[1],
                       mime_type="image/png")
message = ChatMessage.from_user(content_parts=[picture, "Read the text."])
print(generator.run([message])["replies"][0].text)
