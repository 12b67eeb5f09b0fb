# Bakes a floor with a wall, and asks for paths round it: `godot3-server -s example.gd` in this folder.
extends SceneTree

var faults = 0

func check(is_so, what):
	if not is_so:
		faults += 1
		printerr("FAULT: ", what)

func length_of(points):
	var length = 0.0
	for at in range(1, points.size()):
		length += points[at - 1].distance_to(points[at])
	return length

# A floor of 20 m by 20 m, and a wall on it from x = 9 to 11, z = 0 to 15.
func level():
	var vertices = PoolVector3Array()
	var triangles = PoolIntArray()
	for at in [[0, 0], [20, 0], [20, 20], [0, 20]]:
		vertices.append(Vector3(at[0], 0, at[1]))
	triangles.append_array(PoolIntArray([0, 2, 1, 0, 3, 2]))
	for height in [0, 3]:
		for at in [[9, 0], [11, 0], [11, 15], [9, 15]]:
			vertices.append(Vector3(at[0], height, at[1]))
	for side in range(4):
		var a = 4 + side
		var b = 4 + (side + 1) % 4
		triangles.append_array(PoolIntArray([a, a + 4, b, b, a + 4, b + 4]))
	return [vertices, triangles]

func run():
	var mesh = load("res://waymesh_nav_mesh.gdns").new()
	check(mesh.find_path(Vector3(), Vector3(), false).size() == 0, "there is no mesh yet")
	check("bake or open" in mesh.error(), mesh.error())
	var soup = level()
	check(mesh.bake(soup[0], soup[1], 0.5), mesh.error())
	var from = Vector3(2, 0, 2)
	var to = Vector3(18, 0, 2)
	var path = mesh.find_path(from, to, true)
	# Round the end of the wall, half a metre from it.
	check(path.size() >= 4, path)
	check(path[0].distance_to(from) < 0.01 and path[path.size() - 1].distance_to(to) < 0.01, path)
	var least = 2 * Vector2(6.5, 13.5).length() + 3
	check(abs(length_of(path) - least) < 0.8, [length_of(path), least])
	check(length_of(mesh.find_path(from, to, false)) >= length_of(path) - 0.001, "no path is shorter than the shortest")
	check(mesh.nearest(Vector3(2, 0.5, 2)).distance_to(from) < 0.3, "the ground below")
	check(mesh.nearest(Vector3(200, 0, 2)) == null and "no mesh near" in mesh.error(), mesh.error())
	var stopped = mesh.raycast(from, to)
	check(abs(stopped.x - 8.5) < 0.3, stopped)
	# A file, and what is wrong with others.
	var file = OS.get_user_data_dir().plus_file("level.wmesh")
	check(Directory.new().make_dir_recursive(OS.get_user_data_dir()) == OK, "a folder")
	check(mesh.save(file), mesh.error())
	var again = load("res://waymesh_nav_mesh.gdns").new()
	check(again.open(file), again.error())
	check(again.find_path(from, to, true) == path, "the path of the mesh that was saved")
	check(not again.open("nowhere.wmesh") and "nowhere.wmesh" in again.error(), again.error())
	check(again.find_path(from, to, true) == path, "the mesh before is kept")
	check(not again.bake(soup[0], PoolIntArray([0, 1, -1]), 0.5), "a vertex that is not there")
	check(not again.bake(soup[0], PoolIntArray([0, 1]), 0.5) and "three" in again.error(), again.error())
	check(again.find_path("here", to, true).size() == 0 and "Vector3" in again.error(), again.error())
	check(not again.bake(soup[0], soup[1], -1.0), "a radius below 0")
	print("path of ", path.size(), " points, ", length_of(path), " m; faults: ", faults)

func _init():
	run()
	quit(1 if faults > 0 else 0)
