package dev.sharding.example;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import dev.sharding.internal.core.Internal;

/**
 * What users import, as text: a line for each public type and member of the packages that
 * make up the door, but for what is {@link Internal}.
 */
final class Door {

	/** All others of the product are internal. */
	static final List<String> PACKAGES = List.of("dev.sharding.autoconfigure", "dev.sharding.cache",
			"dev.sharding.client", "dev.sharding.controller", "dev.sharding.event", "dev.sharding.leadership",
			"dev.sharding.protocol", "dev.sharding.qos", "dev.sharding.qos.spi", "dev.sharding.resource",
			"dev.sharding.shard");

	/** Doors of their own, with a module each. */
	static final List<String> ADD_ONS = List.of("dev.sharding.josdk", "dev.sharding.shedlock", "dev.sharding.test",
			"dev.sharding.test.spring", "dev.sharding.controlplane");

	/* The ahead-of-time step of an application writes such classes into our packages. */
	private static final String GENERATED = "__";

	private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString", "valueOf", "values");

	/* Ours that are internal keep their package, so that a reader sees them. */
	private static final Pattern PACKAGE = Pattern
		.compile("(?<![\\w.])(?!dev\\.sharding\\.internal\\.)(?:[a-z]\\w*\\.)+(?=[A-Z])");

	private Door() {
	}

	/**
	 * Writes the text anew.
	 * @param arguments where it goes
	 * @throws IOException if it cannot be written
	 */
	public static void main(String[] arguments) throws IOException {
		Files.write(Path.of(arguments[0]), signatures());
	}

	static SortedSet<Class<?>> types() throws IOException {
		SortedSet<Class<?>> types = new TreeSet<>(Comparator.comparing(Class::getName));
		PathMatchingResourcePatternResolver classPath = new PathMatchingResourcePatternResolver();
		for (String name : PACKAGES) {
			for (Resource file : classPath.getResources("classpath*:" + name.replace('.', '/') + "/*.class")) {
				String simple = String.valueOf(file.getFilename()).replaceAll("\\.class$", "");
				if (!simple.contains("-") && !simple.contains(GENERATED)) {
					add(name + "." + simple, types);
				}
			}
		}
		return types;
	}

	private static void add(String name, Set<Class<?>> types) {
		try {
			Class<?> type = Class.forName(name, false, Door.class.getClassLoader());
			if (isOpen(type)) {
				types.add(type);
			}
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isOpen(Class<?> type) {
		return Modifier.isPublic(type.getModifiers()) && !type.isAnonymousClass() && !type.isLocalClass()
				&& (type.getEnclosingClass() == null || isOpen(type.getEnclosingClass()));
	}

	static List<String> signatures() throws IOException {
		SortedSet<String> lines = new TreeSet<>();
		for (Class<?> type : types()) {
			String name = type.getName().replace('$', '.');
			lines.add(name + ": " + header(type));
			for (Field field : type.getDeclaredFields()) {
				if (isOpen(field, field.getModifiers()) && !field.isSynthetic() && !field.isEnumConstant()) {
					lines.add(name + ": " + words(field.getModifiers()) + text(field.getGenericType()) + " "
							+ field.getName());
				}
			}
			for (Constructor<?> constructor : type.getDeclaredConstructors()) {
				if (isOpen(constructor, constructor.getModifiers()) && !constructor.isSynthetic() && !type.isRecord()) {
					lines.add(name + ": new " + parameters(constructor));
				}
			}
			for (Method method : type.getDeclaredMethods()) {
				if (isOpen(method, method.getModifiers()) && !method.isSynthetic() && !isOfEveryObject(type, method)) {
					lines.add(name + ": " + words(method.getModifiers()) + (method.isDefault() ? "default " : "")
							+ text(method.getGenericReturnType()) + " " + method.getName() + parameters(method));
				}
			}
		}
		return List.copyOf(lines);
	}

	private static boolean isOfEveryObject(Class<?> type, Method method) {
		return OF_EVERY_OBJECT.contains(method.getName())
				|| (type.isRecord() && Arrays.stream(type.getRecordComponents())
					.anyMatch((component) -> component.getAccessor().equals(method)));
	}

	private static boolean isOpen(AnnotatedElement member, int modifiers) {
		return (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers))
				&& !member.isAnnotationPresent(Internal.class);
	}

	private static String header(Class<?> type) {
		String parents = Stream
			.concat(Stream.ofNullable(type.getGenericSuperclass())
				.filter((parent) -> parent != Object.class && !type.isRecord() && !type.isEnum()),
					Stream.of(type.getGenericInterfaces()).filter((parent) -> !type.isAnnotation()))
			.map(Door::text)
			.collect(Collectors.joining(", "));
		String parameters = Stream.of(type.getTypeParameters())
			.map((one) -> one.getName() + " extends " + text(one.getBounds()[0]))
			.collect(Collectors.joining(", "));
		return kind(type) + (parameters.isEmpty() ? "" : "<" + parameters + ">")
				+ (parents.isEmpty() ? "" : " is " + parents);
	}

	private static String kind(Class<?> type) {
		if (type.isAnnotation()) {
			return "annotation";
		}
		if (type.isRecord()) {
			return "record"
					+ Stream.of(type.getRecordComponents()).map(Door::text).collect(Collectors.joining(", ", "(", ")"));
		}
		if (type.isEnum()) {
			return "enum" + Stream.of(type.getFields())
				.filter(Field::isEnumConstant)
				.map(Field::getName)
				.collect(Collectors.joining(", ", "(", ")"));
		}
		return (type.isSealed() ? "sealed " : "")
				+ (type.isInterface() ? "interface" : words(type.getModifiers()) + "class");
	}

	private static String text(RecordComponent component) {
		return text(component.getGenericType()) + " " + component.getName();
	}

	private static String parameters(Executable executable) {
		return Stream.of(executable.getGenericParameterTypes())
			.map(Door::text)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	private static String words(int modifiers) {
		return (Modifier.isProtected(modifiers) ? "protected " : "") + (Modifier.isStatic(modifiers) ? "static " : "")
				+ (Modifier.isFinal(modifiers) ? "final " : "");
	}

	private static String text(Type type) {
		return PACKAGE.matcher(type.getTypeName().replace('$', '.')).replaceAll("");
	}

}
