# Included by each project that generates interfaces, as soon as it is named.

option(PYTHON_ALONE "Generate only what Python needs, and compile it at once" OFF)

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

# Each library is compiled as one file, as its files share nearly all that they include. Those of
# the generator for C are not: they define static variables of the same names.
function(softshell_compile_libraries_at_once)
  get_directory_property(targets BUILDSYSTEM_TARGETS)
  list(FILTER targets EXCLUDE REGEX "__rosidl_generator_c$")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(SHARED|MODULE)_LIBRARY$")
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
  endforeach()
endfunction()

cmake_language(DEFER CALL softshell_keep_existing_include_directories)
if(PYTHON_ALONE)
  cmake_language(DEFER CALL softshell_compile_libraries_at_once)
  find_package(ament_cmake REQUIRED)
  find_package(rosidl_default_generators REQUIRED)
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")
endif()
