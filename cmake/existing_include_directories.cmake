# Imported targets may name include directories of the machine they were built on, and CMake stops at
# the first one that does not exist here. Once the project is configured, keep those that exist.
function(softshell_keep_existing_include_directories)
  get_directory_property(targets IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(NOT directories)
      continue()
    endif()
    set(existing)
    foreach(directory IN LISTS directories)
      # A generator expression is kept: it cannot be judged here.
      if(directory MATCHES "\\$<" OR IS_DIRECTORY "${directory}")
        list(APPEND existing "${directory}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${existing}")
  endforeach()
endfunction()

cmake_language(DEFER CALL softshell_keep_existing_include_directories)
