# packages: pydantic-ai-slim[openai]
"""Pydantic AI, plain text output."""
import base64
import os
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model = OpenAIChatModel(os.environ["OCELLI_MODEL_ID"], provider=OpenAIProvider(
    base_url=os.environ["OCELLI_URL"] + "/v1", api_key="unused"))
picture = base64.b64decode(os.environ["OCELLI_PICTURE_URL"].split(",", 1)[1])
result = Agent(model).run_sync([BinaryContent(data=picture, media_type="image/png"), "Read the text."],
                               model_settings={"temperature": 0})
print(result.output)
