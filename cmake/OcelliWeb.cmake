# Builds the web page from web/ and makes it part of the program.

find_program(NPM_PROGRAM npm)
if(NOT NPM_PROGRAM)
  message(FATAL_ERROR "npm is missing, which builds the web page: install nodejs and npm, or "
                      "configure with -DOCELLI_WEB=OFF for a server without the page")
endif()

set(OCELLI_WEB_DIR "${CMAKE_SOURCE_DIR}/web")
set(OCELLI_WEB_STAMP "${OCELLI_WEB_DIR}/dist/.built")

# ocelli_embed_web(OUTPUT): a rule that writes the C++ source OUTPUT, which holds every file of the
# page. The page is built once for all presets, and again only when something it is made of changed.
function(ocelli_embed_web OUTPUT)
  set(installed "${OCELLI_WEB_DIR}/node_modules/.installed")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       "${OCELLI_WEB_DIR}/src/*" "${OCELLI_WEB_DIR}/public/*" "${OCELLI_WEB_DIR}/tools/*"
       "${OCELLI_WEB_DIR}/mock/*")
  list(FILTER sources EXCLUDE REGEX "\\.test\\.tsx?$")

  add_custom_command(
    OUTPUT "${installed}"
    # Nothing of what is installed needs to run a script of its own.
    COMMAND "${NPM_PROGRAM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
    COMMAND "${CMAKE_COMMAND}" -E touch "${installed}"
    DEPENDS "${OCELLI_WEB_DIR}/package.json" "${OCELLI_WEB_DIR}/package-lock.json"
    WORKING_DIRECTORY "${OCELLI_WEB_DIR}"
    COMMENT "Installing what the web page is built from (npm ci)"
    VERBATIM)
  add_custom_command(
    OUTPUT "${OCELLI_WEB_STAMP}"
    COMMAND "${NPM_PROGRAM}" run build --silent
    COMMAND "${CMAKE_COMMAND}" -E touch "${OCELLI_WEB_STAMP}"
    DEPENDS "${installed}" ${sources} "${OCELLI_WEB_DIR}/index.html"
            "${OCELLI_WEB_DIR}/vite.config.ts" "${OCELLI_WEB_DIR}/tsconfig.json"
            "${CMAKE_SOURCE_DIR}/examples/receipt.png" "${CMAKE_SOURCE_DIR}/examples/shapes.png"
    WORKING_DIRECTORY "${OCELLI_WEB_DIR}"
    COMMENT "Building the web page (npm run build)"
    VERBATIM)
  add_custom_command(
    OUTPUT "${OUTPUT}"
    COMMAND "${CMAKE_COMMAND}" "-DDIST=${OCELLI_WEB_DIR}/dist" "-DOUTPUT=${OUTPUT}"
            "-DPOLICY=${OCELLI_WEB_DIR}/tools/policy.ts"
            -P "${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake"
    DEPENDS "${OCELLI_WEB_STAMP}" "${OCELLI_WEB_DIR}/tools/policy.ts"
            "${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake"
    COMMENT "Embedding the web page"
    VERBATIM)
endfunction()
