# What `cmake --install` puts where, and the Debian package that `cpack` makes of it.
# Components: program (the binary and the embedded model), service (the systemd unit and its settings).

include(GNUInstallDirs)
install(TARGETS ocelli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY models/embedded DESTINATION ${CMAKE_INSTALL_DATADIR}/ocelli/models COMPONENT program)
install(FILES README.md README.zh-CN.md CHANGELOG.md LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES deploy/nginx.conf deploy/haproxy.cfg
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT service)
install(FILES deploy/ocelli.service DESTINATION lib/systemd/system COMPONENT service)
install(FILES deploy/ocelli.default DESTINATION ${CMAKE_INSTALL_FULL_SYSCONFDIR}/default
        RENAME ocelli COMPONENT service)

set(CPACK_GENERATOR DEB)
set(CPACK_SET_DESTDIR ON)  # the settings live in /etc, outside the prefix
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME ocelli)
set(CPACK_PACKAGE_VENDOR "The Ocelli authors")
set(CPACK_PACKAGE_CONTACT "The Ocelli authors <ocelli@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/deploy/conffiles")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Reads pictures, answers questions about them and chats, with Qwen3-VL on the CPU:\n\
a web page, an OpenAI-style HTTP API and a command line. A small model for printed\n\
text is part of the package; larger checkpoints are given by folder.")
include(CPack)
