#include "server/page_routes.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/responses.h"

namespace ocelli::server {
namespace {

constexpr std::string_view kHtmlType = "text/html; charset=utf-8";

// A name for the content of a file: as long as it is the same the browser keeps its copy.
std::string EntityTag(std::string_view content) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest.data());
  std::string tag = "\"";
  for (size_t i = 0; i < 12; ++i) tag += fmt::format("{:02x}", digest[i]);
  return tag + "\"";
}

// A page cannot forbid its framing in its own text, so that is added here.
std::string PolicyOf(const StaticFile& file) {
  std::string policy(file.policy);
  if (!policy.empty()) policy += "; ";
  return policy + "frame-ancestors 'none'";
}

std::vector<HttpField> FieldsOf(const StaticFile& file, const std::string& tag) {
  std::vector<HttpField> fields = {
      {"ETag", tag},
      {"Cache-Control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache"},
      {"Content-Security-Policy", PolicyOf(file)},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"}};
  if (!file.content_encoding.empty())
    fields.emplace_back("Content-Encoding", file.content_encoding);
  return fields;
}

void AddFile(const StaticFile& file, Router& router) {
  const std::string tag = EntityTag(file.content);
  router.Add({"GET", file.path, RouteAccess::kOpen,
              [file, tag](const std::shared_ptr<Exchange>& exchange) {
                const bool known = exchange->request().Field("if-none-match") == tag;
                HttpResponse response = TextResponse("", file.content_type);
                response.status = known ? 304 : 200;
                response.fields = FieldsOf(file, tag);
                if (!known) response.body = file.content;
                exchange->Respond(std::move(response));
              }});
}

std::string PlainPage(const Router& router) {
  std::string page =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Ocelli</title>"
      "<h1>Ocelli</h1><p>This server answers questions about pictures with Qwen3-VL, through the "
      "OpenAI-style API below.</p><ul>";
  for (const Route& route : router.routes()) {
    page += fmt::format("<li><code>{} {}</code></li>", route.method, route.pattern);
  }
  return page + "</ul></html>\n";
}

}  // namespace

void AddPageRoutes(const std::vector<StaticFile>& files, Router& router) {
  for (const StaticFile& file : files) AddFile(file, router);
  if (!files.empty()) return;
  router.Add({"GET", "/", RouteAccess::kOpen,
              [page = PlainPage(router)](const std::shared_ptr<Exchange>& exchange) {
                HttpResponse response = TextResponse(page, kHtmlType);
                response.fields = {
                    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
                    {"X-Frame-Options", "DENY"},
                    {"Referrer-Policy", "no-referrer"}};
                exchange->Respond(std::move(response));
              }});
}

}  // namespace ocelli::server
