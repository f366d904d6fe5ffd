# packages: openai-agents
"""OpenAI Agents SDK on the Responses API."""
import os
from agents import Agent, ModelSettings, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
client = AsyncOpenAI(base_url=os.environ["OCELLI_URL"] + "/v1", api_key="unused")
agent = Agent(name="reader", model_settings=ModelSettings(temperature=0),
              model=OpenAIResponsesModel(model=os.environ["OCELLI_MODEL_ID"], openai_client=client))
result = Runner.run_sync(agent, [{"role": "user", "content": [
    {"type": "input_image", "image_url": os.environ["OCELLI_PICTURE_URL"], "detail": "auto"},
    {"type": "input_text", "text": "Read the text."}]}])
print(result.final_output)
