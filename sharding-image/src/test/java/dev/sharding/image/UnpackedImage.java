package dev.sharding.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * An OCI archive, unpacked as a container runtime unpacks it, and what its configuration
 * says.
 */
@SuppressWarnings("unchecked")
final class UnpackedImage {

	private static final String RUN = """
			root=$1 tmp=$2 user=$3 workdir=$4
			shift 4
			mount --make-rprivate /
			mount --bind "$root" "$root"
			mount --rbind /dev "$root/dev"
			mount --rbind /proc "$root/proc"
			mount --bind "$tmp" "$root/tmp"
			mount -o remount,bind,ro "$root"
			chroot=$(command -v chroot)
			exec env -i %s "$chroot" $user "$root" sh -c 'cd "$0" && exec "$@"' "$workdir" "$@"
			""";

	private final Path blobs;

	private final Path root;

	private final Map<String, Object> configuration;

	private final Map<String, Object> all;

	private UnpackedImage(Path folder, Path root) throws IOException {
		this.blobs = folder;
		this.root = root;
		Map<String, Object> index = json(folder.resolve("index.json"));
		List<Map<String, Object>> manifests = (List<Map<String, Object>>) index.get("manifests");
		Map<String, Object> manifest = json(blob(manifests.get(0)));
		this.all = json(blob((Map<String, Object>) manifest.get("config")));
		this.configuration = (Map<String, Object>) this.all.get("config");
		for (Map<String, Object> layer : (List<Map<String, Object>>) manifest.get("layers")) {
			Commands.run(root, "tar", "-xzf", blob(layer).toString());
		}
	}

	static UnpackedImage of(Path archive, Path folder) throws IOException {
		Path blobs = Files.createDirectories(folder.resolve("blobs"));
		Path root = Files.createDirectories(folder.resolve("root"));
		Commands.run(blobs, "tar", "-xf", archive.toString());
		return new UnpackedImage(blobs, root);
	}

	private Path blob(Map<String, Object> descriptor) {
		return this.blobs.resolve("blobs").resolve(descriptor.get("digest").toString().replace(':', '/'));
	}

	private static Map<String, Object> json(Path file) throws IOException {
		return new KubernetesSerialization().unmarshal(Files.readString(file), Map.class);
	}

	Path root() {
		return this.root;
	}

	String platform() {
		return this.all.get("os") + "/" + this.all.get("architecture");
	}

	String user() {
		return (String) this.configuration.get("User");
	}

	String workdir() {
		return (String) this.configuration.get("WorkingDir");
	}

	List<String> environment() {
		return (List<String>) this.configuration.get("Env");
	}

	List<String> entryPoint() {
		return (List<String>) this.configuration.get("Entrypoint");
	}

	/**
	 * The command that runs something in the image, as a container runtime does with a
	 * read-only root: in a mount namespace, under chroot, as the user of the image where
	 * this process may choose one, with the environment of the image alone.
	 * @param tmp what to mount at /tmp
	 * @param program the entry point with arguments, or another program
	 */
	List<String> inside(Path tmp, List<String> program) throws IOException {
		// As a container runtime makes them.
		for (String folder : List.of("tmp", "proc", "dev", "etc")) {
			Files.createDirectories(this.root.resolve(folder));
		}
		Files.writeString(this.root.resolve("etc/hosts"), "127.0.0.1 localhost\n");
		boolean administrator = Commands.run(tmp, "id", "-u").strip().equals("0");
		List<String> command = new ArrayList<>(List.of("unshare", "--mount"));
		if (!administrator) {
			command.add("--map-root-user");
		}
		command.addAll(List.of("sh", "-ec", RUN.formatted(quoted(environment())), "sh", this.root.toString(),
				tmp.toString(), administrator ? "--userspec=" + user() : "", workdir()));
		command.addAll(program);
		return command;
	}

	private static String quoted(List<String> words) {
		return String.join(" ", words.stream().map((word) -> "'" + word + "'").toList());
	}

}
