#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "server/test_client.h"
#include "server/test_server.h"

namespace ocelli::server::testing {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

std::string PredictBody(size_t max_tokens) {
  return json{{"prompt", "read"}, {"image", PictureUrl()}, {"max_new_tokens", max_tokens}}.dump();
}

// Asks until the task's status is `status`.
json WaitForStatus(const TestServer& server, const std::string& id, const std::string& status) {
  json task;
  for (int i = 0; i < 6000; ++i) {
    task = Get(server.port(), "/predict/" + id).Json();
    if (task.value("status", "") == status) return task;
    std::this_thread::sleep_for(milliseconds(5));
  }
  ADD_FAILURE() << "never " << status << ": " << task;
  return task;
}

TEST(Predict, ATaskIsAcceptedAndItsResultCanBeFetched) {
  TestServer server;
  const HttpAnswer accepted = Post(server.port(), "/predict", PredictBody(4));
  ASSERT_EQ(accepted.status, 202) << accepted.body;
  const std::string id = accepted.Json()["task_id"];
  EXPECT_EQ(accepted.Field("location"), "/predict/" + id);
  const json done = WaitForStatus(server, id, "done");
  EXPECT_NE(done.dump().find("aaaa"), std::string::npos) << done;
}

TEST(Predict, AFormUploadsAPicture) {
  TestServer server;
  const std::string body =
      "--XX\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nread\r\n"
      "--XX\r\nContent-Disposition: form-data; name=\"max_new_tokens\"\r\n\r\n3\r\n"
      "--XX\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.bmp\"\r\n\r\n" +
      PictureBytes() + "\r\n--XX--\r\n";
  const HttpAnswer accepted =
      Post(server.port(), "/predict", body, "Content-Type: multipart/form-data; boundary=XX\r\n");
  ASSERT_EQ(accepted.status, 202) << accepted.body;
  WaitForStatus(server, accepted.Json()["task_id"], "done");
}

TEST(Predict, WhatIsWrongIsSaidAtOnce) {
  TestServer server;
  EXPECT_EQ(Post(server.port(), "/predict", "{").status, 400);
  const HttpAnswer bad =
      Post(server.port(), "/predict", R"({"prompt":"read","image":"data:image/png;base64,AAAA"})");
  EXPECT_EQ(bad.status, 400) << bad.body;
  EXPECT_FALSE(bad.Error("param").empty());
  EXPECT_EQ(Get(server.port(), "/predict/task_unknown").status, 404);
  EXPECT_EQ(Request(server.port(), "DELETE", "/predict/task_unknown").status, 404);
}

TEST(Predict, DeleteCancels) {
  TestServerOptions options;
  options.step = milliseconds(2);
  TestServer server(options);
  const HttpAnswer accepted = Post(server.port(), "/predict", PredictBody(3000));
  ASSERT_EQ(accepted.status, 202) << accepted.body;
  const std::string id = accepted.Json()["task_id"];
  ASSERT_TRUE(server.WaitFor([](const EngineStats& stats) { return stats.completion_tokens > 5; }));
  EXPECT_EQ(Request(server.port(), "DELETE", "/predict/" + id).status, 200);
  WaitForStatus(server, id, "cancelled");
  EXPECT_EQ(server.engine().Stats().requests_cancelled, 1u);
}

TEST(Predict, ATaskGoesOnWithoutItsClientAndBelongsToItsKey) {
  TestServerOptions options;
  options.server.api_keys = {"mine", "yours"};
  TestServer server(options);
  const HttpAnswer accepted =
      Post(server.port(), "/predict", PredictBody(3), "X-Api-Key: mine\r\n");
  ASSERT_EQ(accepted.status, 202);
  const std::string path = "/predict/" + accepted.Json()["task_id"].get<std::string>();
  EXPECT_TRUE(
      server.WaitFor([](const EngineStats& stats) { return stats.requests_finished == 1; }));
  EXPECT_EQ(Get(server.port(), path, "X-Api-Key: mine\r\n").status, 200);
  EXPECT_EQ(Get(server.port(), path, "X-Api-Key: yours\r\n").status, 404);
}

TEST(Predict, ResultsAreForgottenAfterTheirTimeAndWhenThereAreTooMany) {
  TestServerOptions options;
  options.server.max_results = 2;
  TestServer server(options);
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(Post(server.port(), "/predict", PredictBody(2)).Json()["task_id"]);
    WaitForStatus(server, ids.back(), "done");
  }
  EXPECT_EQ(Get(server.port(), "/predict/" + ids[0]).status, 404);
  EXPECT_EQ(Get(server.port(), "/predict/" + ids[3]).status, 200);
  options.server.result_lifetime = std::chrono::seconds(0);
  TestServer brief(options);
  const std::string id = Post(brief.port(), "/predict", PredictBody(2)).Json()["task_id"];
  EXPECT_TRUE(brief.WaitFor([](const EngineStats& stats) { return stats.requests_finished == 1; }));
  int status = 200;
  for (int i = 0; i < 1000 && status != 404; ++i) {
    status = Get(brief.port(), "/predict/" + id).status;
  }
  EXPECT_EQ(status, 404);
}

}  // namespace
}  // namespace ocelli::server::testing
