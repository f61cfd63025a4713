# Run by CPack before it makes packages: every account may read what they install, whatever umask the sources were cloned with and
# whatever umask made the folders. Without this, `umask 077` makes packages whose /usr only root can enter.
execute_process(COMMAND chmod -R a+rX,go-w ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
