def main():
    print('cli')
if __name__ == '__main__':
    main()
