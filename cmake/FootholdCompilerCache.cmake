# Compiles through ccache where it is installed, unless the user named a launcher. What precompiled headers need is set here,
# because a new machine has no configuration of ccache: their time stamps and unused macros must not count. The base folder
# makes paths relative, so that a second build folder finds what the first compiled. FOOTHOLD_CCACHE=OFF turns it off.
option(FOOTHOLD_CCACHE "Compile through ccache where it is installed" ${PROJECT_IS_TOP_LEVEL})
if(FOOTHOLD_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(FOOTHOLD_CCACHE_PROGRAM ccache)
  if(FOOTHOLD_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${FOOTHOLD_CCACHE_PROGRAM})
  endif()
endif()
