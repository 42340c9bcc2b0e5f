# Included by each project that generates interfaces, as soon as it is named.

option(PYTHON_ALONE "Compile what Python needs alone, each library at once" OFF)

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

include("${CMAKE_CURRENT_LIST_DIR}/existing_include_directories.cmake")
if(PYTHON_ALONE)
  cmake_language(DEFER CALL softshell_compile_libraries_at_once)
  find_package(ament_cmake REQUIRED)
  find_package(rosidl_default_generators REQUIRED)
  # The headers for C++ stay: messages of other packages that contain these include them.
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "typesupport.*_cpp:")
endif()
