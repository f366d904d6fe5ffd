#ifndef OCELLI_CLI_OCR_FOLDER_H_
#define OCELLI_CLI_OCR_FOLDER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ocr_formats.h"
#include "api/ocr_page.h"
#include "base/error.h"
#include "cli/ocr_inputs.h"
#include "hub/file_lock.h"

namespace ocelli::cli {

// The folder that `ocelli ocr` writes to.
//
//   scans/a.png.txt        what was read from scans/a.png, one file for each format
//   manifest.json          every picture, its outputs, its state and warnings
//   .ocelli/pages/KEY.json each page as it was read; KEY is made of the picture's bytes and of
//                          every option that changes the answer
//   .ocelli/lock           held while a run writes here
//   .ocelli/fresh          the file that is being written
//
// A page has been read when its KEY.json is there: files appear whole or not at all, so a run that
// was killed at any moment goes on where it was, and outputs are made anew from what was read.
// **Threads**: one caller; other processes are kept out.
class OcrFolder {
 public:
  // Opens or makes the folder, takes its lock and gives each input a name of its own: the one it
  // had in an earlier run, or its own, or that with a number when another picture has it.
  // **Errors**: kUnavailable when another run writes here; kIo, kResourceExhausted.
  static Result<std::unique_ptr<OcrFolder>> Open(const std::filesystem::path& path,
                                                 std::vector<api::OcrFormat> formats,
                                                 const std::vector<OcrInput>& inputs);

  // Returns the page that was read under `key` before.
  std::optional<api::OcrPage> FindPage(const std::string& key) const;

  // Keeps a page. **Errors**: kIo, kResourceExhausted; so for those below.
  Status KeepPage(const std::string& key, const api::OcrPage& page);

  // Writes the outputs of an input, where they are not there already.
  Status WriteOutputs(const OcrInput& input, const std::string& key, const api::OcrPage& page);

  // Notes that an input could not be read.
  void NoteFailure(const OcrInput& input, const std::string& message);

  // Writes the manifest.
  Status WriteManifest();

 private:
  struct Entry {
    std::string file;  // absolute path of the picture, made printable
    std::string state = "waiting";
    std::string key;
    std::vector<std::string> warnings;
    std::string error;
  };

  OcrFolder(std::filesystem::path path, std::vector<api::OcrFormat> formats, hub::FileLock lock)
      : path_(std::move(path)), formats_(std::move(formats)), lock_(std::move(lock)) {}

  void ReadManifest();
  void NameInputs(const std::vector<OcrInput>& inputs);
  std::string FreeName(const std::string& wanted) const;
  Status Write(const std::filesystem::path& path, std::string_view content);

  const std::filesystem::path path_;
  const std::vector<api::OcrFormat> formats_;
  const hub::FileLock lock_;
  std::map<std::string, Entry> entries_;      // by the name of their outputs
  std::map<std::string, std::string> names_;  // picture -> name of its outputs
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_OCR_FOLDER_H_
